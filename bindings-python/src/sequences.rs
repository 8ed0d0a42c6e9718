//! Sequences, as Python sees them. Nothing here decides anything about numbers.

use std::hash::{DefaultHasher, Hash, Hasher};

use spin::mutex::SpinMutex;
use spin::Yield;

use firstseen::{Fingerprint, Fingerprinter, Now, SteadyClock};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::convert;
use crate::error::refused;

type Core = firstseen::Sequences;
type Given<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Remembers of each producer the highest number that it sent, and which of the `width` last numbers came.
///
/// For producers that number their events (0 to 2^64-1). A number above the highest is first; one of the `width` last numbers is first
/// once; what is lower is stale. `width=0` applies only what moves forward. A higher `epoch` starts a producer anew, and what comes
/// from a lower one is fenced. A producer that was forgotten (`max_producers`, `idle`, `forget`) is unknown: its next number is first,
/// even if it was processed before. Safe to share between threads.
///
/// Raises FirstSeenError: invalid_config for a width above 65536, a max_producers of 0 or above 2^53-1, an idle of 0; invalid_time.
///
/// >>> from firstseen import Sequences
/// >>> sequences = Sequences(width=64)
/// >>> [sequences.first_seen("sensor-1", seq) for seq in (1, 2, 2, 5, 4)]
/// [True, True, False, True, True]
/// >>> sequences.observe("sensor-1", 9)
/// SequenceVerdict(kind='first', gap=3)
#[pyclass(frozen, module = "firstseen")]
pub(crate) struct Sequences {
    printer: Fingerprinter,
    clock: SteadyClock,
    /// Never held while Python runs.
    core: SpinMutex<Core, Yield>,
}

#[pymethods]
impl Sequences {
    #[new]
    #[pyo3(signature = (*, width, max_producers=None, idle=None))]
    fn new(
        width: &Bound<'_, PyAny>,
        max_producers: Given<'_, '_>,
        idle: Given<'_, '_>,
    ) -> PyResult<Self> {
        let accepted = "0 to 65536 numbers";
        let mut config = Core::with_width(convert::count("width", accepted, width)?);
        let accepted = "1 to 2^53-1 producers";
        config.max_producers = max_producers
            .map(|max| convert::count("max_producers", accepted, max))
            .transpose()?;
        config.idle = convert::optional_time("idle", idle)?;
        let core = config.build();
        let core = core.map_err(|error| refused(width.py(), error))?;
        Ok(Self {
            printer: core.fingerprinter(),
            clock: SteadyClock::new(core.bucket()),
            core: SpinMutex::new(core),
        })
    }

    /// Records a number: True is its first sighting (process it), False is not (do not process it).
    ///
    /// `now` matters only with `idle`; give it in every call or in none.
    ///
    /// Raises FirstSeenError: empty_id, invalid_id, invalid_text for the producer; invalid_id for a seq or an epoch that is no integer
    /// from 0 to 2^64-1; invalid_time; out_of_memory.
    #[pyo3(signature = (producer, seq, *, epoch=None, now=None), text_signature = "($self, producer, seq, *, epoch=0, now=None)")]
    fn first_seen(
        &self,
        producer: &Bound<'_, PyAny>,
        seq: &Bound<'_, PyAny>,
        epoch: Given<'_, '_>,
        now: Given<'_, '_>,
    ) -> PyResult<bool> {
        Ok(self.record(producer, seq, epoch, now)?.is_first())
    }

    /// As `first_seen`, with the reason.
    #[pyo3(signature = (producer, seq, *, epoch=None, now=None), text_signature = "($self, producer, seq, *, epoch=0, now=None)")]
    fn observe(
        &self,
        producer: &Bound<'_, PyAny>,
        seq: &Bound<'_, PyAny>,
        epoch: Given<'_, '_>,
        now: Given<'_, '_>,
    ) -> PyResult<SequenceVerdict> {
        self.record(producer, seq, epoch, now).map(SequenceVerdict)
    }

    /// Forgets a producer, so that its next number is first, whatever it is; says whether it was held.
    fn forget(&self, producer: &Bound<'_, PyAny>) -> PyResult<bool> {
        let print = self.print(producer)?;
        Ok(self.with(|core| core.forget_print(print)))
    }

    /// The figures, as of `now` or window time, whichever is later. Changes nothing.
    #[pyo3(signature = (now=None))]
    fn stats(&self, py: Python<'_>, now: Given<'_, '_>) -> PyResult<SequenceStats> {
        let now = self.now(now)?;
        let stats = self.with(|core| core.stats(now));
        stats.map(SequenceStats).map_err(|error| refused(py, error))
    }

    fn __len__(&self) -> usize {
        usize::try_from(self.with(|core| core.len())).unwrap_or(usize::MAX)
    }

    /// Sequences without producers are sequences nevertheless.
    fn __bool__(&self) -> bool {
        true
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let stats = self.with(|core| core.stats(Now::Unsaid));
        let stats = stats.map_err(|error| refused(py, error))?;
        let or_none = |value: Option<u64>| value.map_or("None".into(), |value| value.to_string());
        Ok(format!(
            "<firstseen.Sequences width={} max_producers={} idle_ms={} held={}>",
            stats.width,
            or_none(stats.max_producers),
            or_none(stats.idle_ms),
            stats.held
        ))
    }
}

impl Sequences {
    #[inline]
    fn with<R>(&self, call: impl FnOnce(&mut Core) -> R) -> R {
        let mut core = self.core.lock();
        call(&mut core)
    }

    #[inline]
    fn print(&self, producer: &Bound<'_, PyAny>) -> PyResult<Fingerprint> {
        convert::with_id(producer, |id| self.printer.fingerprint(id))
    }

    /// The time of a call: the caller's, or else the clock's if time plays a part.
    #[inline]
    fn now(&self, now: Given<'_, '_>) -> PyResult<Now> {
        match now {
            Some(now) => convert::time("now", now).map(Now::Told),
            None if self.with(|core| core.wants_clock()) => Ok(Now::Clock(self.clock.now())),
            None => Ok(Now::Unsaid),
        }
    }

    #[inline]
    fn record(
        &self,
        producer: &Bound<'_, PyAny>,
        seq: &Bound<'_, PyAny>,
        epoch: Given<'_, '_>,
        now: Given<'_, '_>,
    ) -> PyResult<firstseen::SequenceVerdict> {
        let print = self.print(producer)?;
        let seq = convert::number("seq", seq)?;
        let epoch = epoch.map_or(Ok(0), |epoch| convert::number("epoch", epoch))?;
        let now = self.now(now)?;
        let verdict = self.with(|core| core.record(print, seq, epoch, now));
        verdict.map_err(|error| refused(producer.py(), error))
    }
}

/// What sequences say of one event.
#[pyclass(frozen, eq, module = "firstseen")]
#[derive(PartialEq)]
pub(crate) struct SequenceVerdict(firstseen::SequenceVerdict);

#[pymethods]
impl SequenceVerdict {
    /// The stable name: "first", "duplicate", "stale" or "fenced".
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// Whether to process the event.
    #[getter]
    fn first(&self) -> bool {
        self.0.is_first()
    }

    /// Whether to acknowledge the delivery without processing it.
    #[getter]
    fn acknowledge(&self) -> bool {
        self.0.acknowledge()
    }

    /// How many numbers a first one skipped; None for other verdicts.
    #[getter]
    fn gap(&self) -> Option<u64> {
        self.0.gap()
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(
            "a verdict has no truth value: ask for `.first` or `.acknowledge`",
        ))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.kind(), self.gap()).hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        match self.gap() {
            Some(gap) => format!("SequenceVerdict(kind='{}', gap={gap})", self.kind()),
            None => format!("SequenceVerdict(kind='{}')", self.kind()),
        }
    }
}

/// The counts since the sequences were made, and their state. A record of one moment: ask again for later figures.
#[pyclass(frozen, eq, module = "firstseen")]
#[derive(PartialEq)]
pub(crate) struct SequenceStats(pub(crate) firstseen::SequenceStats);

figures! {
    SequenceStats,
    /// Calls that got a verdict.
    checked: u64,
    /// Verdicts `first`.
    first: u64,
    /// Verdicts `duplicate`.
    duplicate: u64,
    /// Verdicts `stale`.
    stale: u64,
    /// Verdicts `fenced`.
    fenced: u64,
    /// Verdicts `first` that skipped numbers.
    gaps: u64,
    /// Producers forgotten because they were idle for too long.
    expired: u64,
    /// Producers forgotten for want of room. Above 0, the guarantee is lost for them: their next number is first, whatever it is.
    evicted: u64,
    /// Producers forgotten by `forget`.
    forgotten: u64,
    /// Calls whose time was behind.
    clock_regressions: u64,
    /// Times that window time was re-anchored because the caller's clock was reset.
    clock_resets: u64,
    /// Producers remembered.
    held: u64,
    /// The cap on producers, if there is one.
    max_producers: Option<u64>,
    /// Bytes allocated for the producers.
    memory_bytes: u64,
    /// How many of the last numbers are told apart.
    width: u64,
    /// How long a producer may be idle without being forgotten; None is for ever.
    idle_ms: Option<u64>,
}
