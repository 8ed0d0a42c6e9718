//! The window, as Python sees it. Nothing here decides anything about windows.

use spin::mutex::SpinMutex;
use spin::Yield;

use firstseen::{Config, Error, Fingerprinter, Key, Now, SteadyClock};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::buffer;
use crate::convert;
use crate::error::refused;
use crate::stats::Stats;
use crate::verdict::{self, Verdict};

type Core = firstseen::Window;
type Given<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Remembers the ids of the last W, and says of each id whether it is the first sighting.
///
/// Made by `Window.exact` or `Window.from_buckets`. Safe to share between threads.
#[pyclass(frozen, module = "firstseen")]
pub(crate) struct Window {
    printer: Fingerprinter,
    clock: Clock,
    /// Never held while Python runs: a clock, an iterator or a `__del__` may well use this window.
    core: SpinMutex<Core, Yield>,
}

enum Clock {
    Steady(SteadyClock),
    Python(Py<PyAny>),
}

#[pymethods]
impl Window {
    /// A window that remembers exactly, for at least `window` (seconds or timedelta).
    #[staticmethod]
    #[pyo3(
        signature = (window, *, bucket=None, max_ids=None, on_full=EVICT, secret=None, clock=None, max_step=None, max_lateness=None),
        text_signature = "(window, *, bucket=None, max_ids=None, on_full='evict_oldest', secret=None, clock=None, max_step=None, max_lateness=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
    fn exact(
        window: &Bound<'_, PyAny>,
        bucket: Given<'_, '_>,
        max_ids: Given<'_, '_>,
        on_full: convert::OnFull,
        secret: Given<'_, '_>,
        clock: Given<'_, '_>,
        max_step: Given<'_, '_>,
        max_lateness: Given<'_, '_>,
    ) -> PyResult<Self> {
        let py = window.py();
        let mut config = Core::exact(convert::time("window", window)?);
        if let Some(bucket) = convert::optional_time("bucket", bucket)? {
            config = config.bucket(bucket);
        }
        let options = (max_ids, on_full, secret, clock, max_step, max_lateness);
        Self::build(py, config, options)
    }

    /// A window by its raw ring: an id is remembered for more than (buckets - 1) * bucket, and at most buckets * bucket.
    #[staticmethod]
    #[pyo3(
        signature = (bucket, buckets, *, max_ids=None, on_full=EVICT, secret=None, clock=None, max_step=None, max_lateness=None),
        text_signature = "(bucket, buckets, *, max_ids=None, on_full='evict_oldest', secret=None, clock=None, max_step=None, max_lateness=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
    fn from_buckets(
        bucket: &Bound<'_, PyAny>,
        buckets: &Bound<'_, PyAny>,
        max_ids: Given<'_, '_>,
        on_full: convert::OnFull,
        secret: Given<'_, '_>,
        clock: Given<'_, '_>,
        max_step: Given<'_, '_>,
        max_lateness: Given<'_, '_>,
    ) -> PyResult<Self> {
        let py = bucket.py();
        let bucket = convert::time("bucket", bucket)?;
        let buckets = convert::count("buckets", "2 to 250 buckets", buckets)?;
        let options = (max_ids, on_full, secret, clock, max_step, max_lateness);
        Self::build(py, Core::from_buckets(bucket, buckets), options)
    }

    /// Records an id: True is its first sighting (process it), False is not (do not process it).
    #[pyo3(signature = (id, now=None))]
    fn first_seen(&self, id: &Bound<'_, PyAny>, now: Given<'_, '_>) -> PyResult<bool> {
        let print = self.print(id)?;
        let now = self.now(id.py(), now)?;
        let verdict = self.with(|core| core.record(print, now, None));
        Ok(done(id.py(), verdict)?.is_first())
    }

    /// As `first_seen` one by one in order, at one time; every id is validated before any is recorded.
    #[pyo3(signature = (ids, now=None))]
    fn first_seen_many(&self, ids: &Bound<'_, PyAny>, now: Given<'_, '_>) -> PyResult<Vec<bool>> {
        self.record_many(ids, now, |verdict| verdict.is_first())
    }

    /// As `first_seen_many` of integers that lie in a buffer, without a Python object per id.
    ///
    /// `ids` is a buffer of unsigned 64-bit integers in one dimension: an `array.array("Q")`, a NumPy array, a `memoryview`;
    /// or an object whose `to_numpy()` gives one, such as an Arrow array. It is copied first, strided or not.
    /// Returns one byte per id, in order: 1 is its first sighting, 0 is not; `numpy.frombuffer(answers, dtype=bool)` is a mask.
    ///
    /// Raises FirstSeenError: invalid_id for any other type of item (signed, float, bool, another byte order), for nulls, a mask and
    /// more dimensions; invalid_time, clock_step, full, out_of_memory as first_seen_many. Time and memory are linear in the number of ids.
    ///
    /// >>> from array import array
    /// >>> from firstseen import Window
    /// >>> Window.exact(60).first_seen_u64(array("Q", [7, 8, 7]))
    /// b'\x01\x01\x00'
    #[pyo3(signature = (ids, now=None))]
    fn first_seen_u64<'py>(
        &self,
        ids: &Bound<'py, PyAny>,
        now: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let prints = buffer::u64_prints(&self.printer, ids)?;
        self.record_prints(ids.py(), &prints, now)
    }

    /// As `first_seen_many` of byte strings that lie end to end, without a Python object per id.
    ///
    /// Id `i` is `data[offsets[i]:offsets[i + 1]]`, as in an Arrow string or binary array: `data` is bytes-like, `offsets` a buffer
    /// of 32- or 64-bit integers, one more than there are ids; the first need not be 0. Which ids are null
    /// is not seen here: drop these before.
    /// Returns one byte per id, in order: 1 is its first sighting, 0 is not; `numpy.frombuffer(answers, dtype=bool)` is a mask.
    ///
    /// Raises FirstSeenError: empty_id; invalid_id for data and offsets of another type, and for an offset that decreases or lies
    /// outside of the data; invalid_time, clock_step, full, out_of_memory as first_seen_many. Time and memory are linear in ids and data.
    ///
    /// >>> from array import array
    /// >>> from firstseen import Window
    /// >>> Window.exact(60).first_seen_packed(b"evt_1evt_20evt_1", array("q", [0, 5, 11, 16]))
    /// b'\x01\x01\x00'
    #[pyo3(signature = (data, offsets, now=None))]
    fn first_seen_packed<'py>(
        &self,
        data: &Bound<'py, PyAny>,
        offsets: &Bound<'py, PyAny>,
        now: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let prints = buffer::packed_prints(&self.printer, data, offsets)?;
        self.record_prints(data.py(), &prints, now)
    }

    /// As `first_seen`, with the reason. `at` is the event's own time, for `max_lateness`.
    #[pyo3(signature = (id, now=None, at=None))]
    fn observe(
        &self,
        id: &Bound<'_, PyAny>,
        now: Given<'_, '_>,
        at: Given<'_, '_>,
    ) -> PyResult<Verdict> {
        let print = self.print(id)?;
        let now = self.now(id.py(), now)?;
        let at = convert::optional_time("at", at)?;
        let verdict = self.with(|core| core.record(print, now, at));
        done(id.py(), verdict).map(Verdict)
    }

    /// As `first_seen_many`, with the reasons.
    #[pyo3(signature = (ids, now=None))]
    fn observe_many<'py>(
        &self,
        ids: &Bound<'py, PyAny>,
        now: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyList>> {
        verdict::list(ids.py(), self.record_many(ids, now, |verdict| verdict)?)
    }

    /// What `observe` would say. Changes nothing.
    #[pyo3(signature = (id, now=None))]
    fn check(&self, id: &Bound<'_, PyAny>, now: Given<'_, '_>) -> PyResult<Verdict> {
        let print = self.print(id)?;
        let now = self.now(id.py(), now)?;
        let verdict = self.with(|core| core.look_up(print, now));
        done(id.py(), verdict).map(Verdict)
    }

    /// `check` of several ids.
    #[pyo3(signature = (ids, now=None))]
    fn check_many<'py>(
        &self,
        ids: &Bound<'py, PyAny>,
        now: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = ids.py();
        let prints = convert::prints(&self.printer, ids)?;
        let now = self.now(py, now)?;
        let mut verdicts = Vec::new();
        convert::reserve(py, &mut verdicts, prints.len())?;
        let looked_up =
            self.with(|core| core.look_up_many(&prints, now, |verdict| verdicts.push(verdict)));
        done(py, looked_up)?;
        verdict::list(py, verdicts)
    }

    /// Forgets an id, so that its next sighting is first; says whether it was held.
    fn forget(&self, id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let print = self.print(id)?;
        done(id.py(), self.with(|core| core.forget_key(print)))
    }

    /// Moves window time forward to `now`, which may be any step ahead.
    #[pyo3(signature = (now=None))]
    fn advance(&self, py: Python<'_>, now: Given<'_, '_>) -> PyResult<()> {
        let now = self.now(py, now)?;
        let advanced = self.with(|core| core.advance(now));
        done(py, advanced)
    }

    /// Forgets every id. Window time and the counts stay.
    fn clear(&self) {
        self.with(Core::clear);
    }

    /// The figures by which an operator sees what the window did and what it can vouch for.
    #[pyo3(signature = (now=None))]
    fn stats(&self, py: Python<'_>, now: Given<'_, '_>) -> PyResult<Stats> {
        let now = self.now(py, now)?;
        let stats = self.with(|core| core.stats(now));
        done(py, stats).map(Stats)
    }

    fn __len__(&self) -> usize {
        usize::try_from(self.with(|core| core.len())).unwrap_or(usize::MAX)
    }

    fn __contains__(&self, id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let print = self.print(id)?;
        Ok(self.with(|core| core.contains_key(print)))
    }

    /// A window without ids is a window nevertheless.
    fn __bool__(&self) -> bool {
        true
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let stats = self.with(|core| core.stats(Now::Unsaid));
        let stats = done(py, stats)?;
        let max_ids = stats
            .max_ids
            .map_or("None".into(), |max_ids| max_ids.to_string());
        Ok(format!(
            "<firstseen.Window window_ms={} bucket_ms={} buckets={} held={} max_ids={max_ids}>",
            stats.window_ms, stats.bucket_ms, stats.buckets, stats.held
        ))
    }

    /// A clock may lead back to its window; the collector has to know.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &self.clock {
            Clock::Python(clock) => visit.call(clock),
            Clock::Steady(_) => Ok(()),
        }
    }
}

const EVICT: convert::OnFull = convert::OnFull(firstseen::OnFull::EvictOldest);

/// What both constructors take, in the order of their signatures.
type Options<'a, 'py> = (
    Given<'a, 'py>,
    convert::OnFull,
    Given<'a, 'py>,
    Given<'a, 'py>,
    Given<'a, 'py>,
    Given<'a, 'py>,
);

impl Window {
    fn build(py: Python<'_>, mut config: Config, options: Options<'_, '_>) -> PyResult<Self> {
        let (max_ids, on_full, secret, clock, max_step, max_lateness) = options;
        config.size.max_ids = max_ids
            .map(|max_ids| convert::count("max_ids", "1 to 2^53-1 ids", max_ids))
            .transpose()?;
        config.on_full = on_full.0;
        config.secret = convert::secret(secret)?;
        let clock = clock.map(convert::clock).transpose()?;
        config.max_step = convert::optional_time("max_step", max_step)?;
        config.max_lateness = convert::optional_time("max_lateness", max_lateness)?;
        let core = done(py, config.build())?;
        Ok(Self {
            printer: core.fingerprinter(),
            clock: match clock {
                Some(clock) => Clock::Python(clock),
                None => Clock::Steady(SteadyClock::new(core.bucket())),
            },
            core: SpinMutex::new(core),
        })
    }

    #[inline]
    fn with<R>(&self, call: impl FnOnce(&mut Core) -> R) -> R {
        // A panic is a bug of the core's; the window answers on rather than never again.
        let mut core = self.core.lock();
        call(&mut core)
    }

    #[inline(always)]
    fn print(&self, id: &Bound<'_, PyAny>) -> PyResult<Key> {
        convert::key(&self.printer, id)
    }

    /// [`first_seen`](Self::first_seen) of what most calls give: a text, bytes or an integer, at a float or by the default clock. None for
    /// anything else, and for what is to be refused on sight: then nothing has happened yet.
    ///
    /// Runs no code of Python's, and neither drops nor makes an object of PyO3's where it answers.
    #[inline(always)]
    pub(crate) fn quick(
        &self,
        id: &Bound<'_, PyAny>,
        now: Given<'_, '_>,
    ) -> Option<Result<bool, Error>> {
        let print = convert::plain_key(&self.printer, id)?;
        let now = match (now, &self.clock) {
            (Some(now), _) => Now::Told(convert::plain_time(now)?),
            (None, Clock::Steady(clock)) => Now::Clock(clock.now()),
            (None, Clock::Python(_)) => return None,
        };
        let verdict = self.with(|core| core.record(print, now, None));
        Some(verdict.map(|verdict| verdict.is_first()))
    }

    /// The time of a call: the caller's, or else the clock's if the window wants it.
    #[inline(always)]
    fn now(&self, py: Python<'_>, now: Given<'_, '_>) -> PyResult<Now> {
        match (now, &self.clock) {
            (Some(now), _) => convert::time("now", now).map(Now::Told),
            (None, Clock::Steady(clock)) => Ok(Now::Clock(clock.now())),
            (None, Clock::Python(clock)) if self.with(|core| core.wants_clock()) => {
                let reading = clock.bind(py).call0()?;
                convert::time("clock", &reading).map(Now::Clock)
            }
            (None, Clock::Python(_)) => Ok(Now::Unsaid),
        }
    }

    fn record_many<T>(
        &self,
        ids: &Bound<'_, PyAny>,
        now: Given<'_, '_>,
        answer: impl Fn(firstseen::Verdict) -> T,
    ) -> PyResult<Vec<T>> {
        let py = ids.py();
        let prints = convert::prints(&self.printer, ids)?;
        let now = self.now(py, now)?;
        let mut answers = Vec::new();
        convert::reserve(py, &mut answers, prints.len())?;
        let recorded = self
            .with(|core| core.record_many(&prints, now, |verdict| answers.push(answer(verdict))));
        done(py, recorded)?;
        Ok(answers)
    }

    /// One byte per fingerprint, written where Python will read it.
    fn record_prints<'py>(
        &self,
        py: Python<'py>,
        prints: &[Key],
        now: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let now = self.now(py, now)?;
        PyBytes::new_with(py, prints.len(), |answers| {
            let mut answers = answers.iter_mut();
            let recorded = self.with(|core| {
                core.record_many(prints, now, |verdict| {
                    if let Some(answer) = answers.next() {
                        *answer = u8::from(verdict.is_first());
                    }
                })
            });
            done(py, recorded)
        })
    }
}

/// The core's answer, or its error as an exception.
#[inline]
fn done<T>(py: Python<'_>, result: Result<T, Error>) -> PyResult<T> {
    result.map_err(|error| refused(py, error))
}
