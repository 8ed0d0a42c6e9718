//! The window, as Python sees it. Nothing here decides anything about windows.

use spin::mutex::SpinMutex;
use spin::Yield;

use firstseen::{
    AnyConfig, AnySize, AnyWindow as Core, Error, Fingerprinter, Key, Load, Now, Span, SteadyClock,
    Token,
};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::buffer;
use crate::claim::{self, Claim};
use crate::convert;
use crate::error::refused;
use crate::stats::Stats;
use crate::verdict::{self, Verdict};

type Given<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Remembers the ids of the last W, and says of each id whether it is the first sighting.
///
/// Made by `Window.exact`, `from_buckets`, `bloom` or `cuckoo`. Safe to share between threads.
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
    ///
    /// With `detect_conflicts`, `observe(id, body=...)` tells the same id with another body.
    #[staticmethod]
    #[pyo3(
        signature = (window, *, bucket=None, max_ids=None, on_full=EVICT, secret=None, clock=None, max_step=None, max_lateness=None, detect_conflicts=None),
        text_signature = "(window, *, bucket=None, max_ids=None, on_full='evict_oldest', secret=None, clock=None, max_step=None, max_lateness=None, detect_conflicts=False)"
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
        detect_conflicts: Given<'_, '_>,
    ) -> PyResult<Self> {
        let py = window.py();
        let span = span(window, bucket)?;
        let size = exact(max_ids, detect_conflicts)?;
        Self::build(
            py,
            span,
            size,
            (on_full, secret, clock, max_step, max_lateness),
        )
    }

    /// A window by its raw ring: an id is remembered for more than (buckets - 1) * bucket, and at most buckets * bucket.
    #[staticmethod]
    #[pyo3(
        signature = (bucket, buckets, *, max_ids=None, on_full=EVICT, secret=None, clock=None, max_step=None, max_lateness=None, detect_conflicts=None),
        text_signature = "(bucket, buckets, *, max_ids=None, on_full='evict_oldest', secret=None, clock=None, max_step=None, max_lateness=None, detect_conflicts=False)"
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
        detect_conflicts: Given<'_, '_>,
    ) -> PyResult<Self> {
        let py = bucket.py();
        let bucket = convert::time("bucket", bucket)?;
        let buckets = convert::count("buckets", "2 to 250 buckets", buckets)?;
        let span = Span::Buckets { bucket, buckets };
        let size = exact(max_ids, detect_conflicts)?;
        Self::build(
            py,
            span,
            size,
            (on_full, secret, clock, max_step, max_lateness),
        )
    }

    /// A window that remembers with a Bloom filter: little memory, and some new events are lost.
    ///
    /// `false_drop_rate` is the chance that a new id is called a probable duplicate, while `expected_ids` distinct ids
    /// come in a window. There is no `forget`. Where a lost event costs more than memory: `Window.exact`.
    #[staticmethod]
    #[pyo3(
        signature = (window, *, expected_ids, false_drop_rate, bucket=None, on_full=DEGRADE, secret=None, clock=None, max_step=None, max_lateness=None),
        text_signature = "(window, *, expected_ids, false_drop_rate, bucket=None, on_full='degrade', secret=None, clock=None, max_step=None, max_lateness=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
    fn bloom(
        window: &Bound<'_, PyAny>,
        expected_ids: &Bound<'_, PyAny>,
        false_drop_rate: &Bound<'_, PyAny>,
        bucket: Given<'_, '_>,
        on_full: convert::OnFull,
        secret: Given<'_, '_>,
        clock: Given<'_, '_>,
        max_step: Given<'_, '_>,
        max_lateness: Given<'_, '_>,
    ) -> PyResult<Self> {
        let py = window.py();
        let span = span(window, bucket)?;
        let size = AnySize::Bloom(load(expected_ids, false_drop_rate)?);
        Self::build(
            py,
            span,
            size,
            (on_full, secret, clock, max_step, max_lateness),
        )
    }

    /// A window that remembers with a cuckoo filter: a part of each fingerprint, so that some new events are lost.
    ///
    /// As `bloom`, at any distribution of the ids over time, and with `forget`. When it is full, a new id is refused,
    /// or with `on_full="evict_oldest"` the oldest are forgotten.
    #[staticmethod]
    #[pyo3(
        signature = (window, *, expected_ids, false_drop_rate, bucket=None, on_full=REJECT, secret=None, clock=None, max_step=None, max_lateness=None),
        text_signature = "(window, *, expected_ids, false_drop_rate, bucket=None, on_full='reject', secret=None, clock=None, max_step=None, max_lateness=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
    fn cuckoo(
        window: &Bound<'_, PyAny>,
        expected_ids: &Bound<'_, PyAny>,
        false_drop_rate: &Bound<'_, PyAny>,
        bucket: Given<'_, '_>,
        on_full: convert::OnFull,
        secret: Given<'_, '_>,
        clock: Given<'_, '_>,
        max_step: Given<'_, '_>,
        max_lateness: Given<'_, '_>,
    ) -> PyResult<Self> {
        let py = window.py();
        let span = span(window, bucket)?;
        let size = AnySize::Cuckoo(load(expected_ids, false_drop_rate)?);
        Self::build(
            py,
            span,
            size,
            (on_full, secret, clock, max_step, max_lateness),
        )
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

    /// As `first_seen`, with the reason. `at` is the event's own time, for `max_lateness`; `body` is what tells a conflict, in a window
    /// with `detect_conflicts`.
    #[pyo3(signature = (id, now=None, at=None, *, body=None))]
    fn observe(
        &self,
        id: &Bound<'_, PyAny>,
        now: Given<'_, '_>,
        at: Given<'_, '_>,
        body: Given<'_, '_>,
    ) -> PyResult<Verdict> {
        let print = self.print(id)?;
        let body = body.map(convert::body).transpose()?;
        let now = self.now(id.py(), now)?;
        let at = convert::optional_time("at", at)?;
        let verdict = self.with(|core| match &body {
            None => core.record(print, now, at),
            Some(body) => core.record_body(print, body, now, at),
        });
        done(id.py(), verdict).map(Verdict)
    }

    /// Asks to process an event: if it is first, it is in flight until it is committed or released, or `lease` is over.
    ///
    /// Raises FirstSeenError as `observe`; full; invalid_config for a lease of 0.
    ///
    /// >>> from firstseen import Window
    /// >>> window = Window.exact(60)
    /// >>> with window.claim("evt_1", lease=30) as claim:
    /// ...     claim.first
    /// True
    /// >>> window.check("evt_1").kind
    /// 'duplicate'
    #[pyo3(signature = (id, *, lease, now=None, at=None))]
    fn claim<'py>(
        this: &Bound<'py, Self>,
        id: &Bound<'py, PyAny>,
        lease: &Bound<'py, PyAny>,
        now: Given<'_, 'py>,
        at: Given<'_, 'py>,
    ) -> PyResult<Claim> {
        let (py, window) = (id.py(), this.get());
        let print = window.print(id)?;
        let lease = convert::time("lease", lease)?;
        let when = window.now(py, now)?;
        let at = convert::optional_time("at", at)?;
        let claim = window.with(|core| core.claim_key(print, lease, when, at));
        Ok(Claim::new(this, done(py, claim)?, now))
    }

    /// `claim` of several ids, in order and at one time: a repeat is in flight. On full nothing is claimed.
    #[pyo3(signature = (ids, *, lease, now=None))]
    fn claim_many<'py>(
        this: &Bound<'py, Self>,
        ids: &Bound<'py, PyAny>,
        lease: &Bound<'py, PyAny>,
        now: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (py, window) = (ids.py(), this.get());
        let prints = convert::prints(&window.printer, ids)?;
        let lease = convert::time("lease", lease)?;
        let when = window.now(py, now)?;
        let claims = window.with(|core| core.claim_keys(&prints, lease, when));
        claim::list(this, done(py, claims)?, now)
    }

    /// The effect of a claim is done: remembers its id.
    ///
    /// Raises FirstSeenError: lease_lost if the token is not the present claim of its id; invalid_time, clock_step, out_of_memory.
    #[pyo3(signature = (token, now=None))]
    fn commit(&self, token: &Bound<'_, PyAny>, now: Given<'_, '_>) -> PyResult<()> {
        self.commit_token(token.py(), convert::token(token)?, now)
    }

    /// `commit` of several tokens at one time: False for each that is lost, the others are committed.
    #[pyo3(signature = (tokens, now=None))]
    fn commit_many(&self, tokens: &Bound<'_, PyAny>, now: Given<'_, '_>) -> PyResult<Vec<bool>> {
        let py = tokens.py();
        let mut named = Vec::new();
        for token in tokens.try_iter()? {
            convert::reserve(py, &mut named, 1)?;
            named.push(convert::token(&token?)?);
        }
        let now = self.now(py, now)?;
        done(py, self.with(|core| core.commit_many(&named, now)))
    }

    /// The effect of a claim failed: the event's next delivery is first again. Raises FirstSeenError: lease_lost.
    fn release(&self, token: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, token) = (token.py(), convert::token(token)?);
        done(py, self.with(|core| core.release(token)))
    }

    /// The effect of a claim takes longer: its lease runs for `lease` from now on. Raises FirstSeenError: lease_lost.
    #[pyo3(signature = (token, lease, now=None))]
    fn renew(
        &self,
        token: &Bound<'_, PyAny>,
        lease: &Bound<'_, PyAny>,
        now: Given<'_, '_>,
    ) -> PyResult<()> {
        self.renew_token(convert::token(token)?, lease, now)
    }

    /// Decorates a function or a coroutine so that each event's effect is done once: claims the id that `key` makes of the
    /// arguments, renews the lease at half its life while the function runs, and commits; an exception releases.
    ///
    /// On a duplicate the function is not called, and the answer is None. In flight it raises `InFlight`; or waits, for `wait` seconds,
    /// True for as long as it takes. For windows that read their clock.
    ///
    /// >>> from firstseen import Window
    /// >>> window = Window.exact(60)
    /// >>> @window.once(key=lambda event: event["id"], lease=30)
    /// ... def handle(event):
    /// ...     return "done"
    /// >>> handle({"id": "evt_1"}), handle({"id": "evt_1"})
    /// ('done', None)
    #[pyo3(signature = (*, key, lease, wait=None))]
    fn once<'py>(
        this: &Bound<'py, Self>,
        key: &Bound<'py, PyAny>,
        lease: &Bound<'py, PyAny>,
        wait: Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = key.py();
        convert::time("lease", lease)?;
        let patience = match wait {
            Some(wait) => wait.clone(),
            None => 0_u8.into_pyobject(py)?.into_any(),
        };
        PyModule::import(py, "firstseen._once")?
            .getattr("decorator")?
            .call1((this, key, lease, patience))
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
const REJECT: convert::OnFull = convert::OnFull(firstseen::OnFull::Reject);
const DEGRADE: convert::OnFull = convert::OnFull(firstseen::OnFull::Degrade);

/// What every constructor takes beside its shape and size, in the order of their signatures.
type Options<'a, 'py> = (
    convert::OnFull,
    Given<'a, 'py>,
    Given<'a, 'py>,
    Given<'a, 'py>,
    Given<'a, 'py>,
);

fn span(window: &Bound<'_, PyAny>, bucket: Given<'_, '_>) -> PyResult<Span> {
    let window = convert::time("window", window)?;
    let bucket = convert::optional_time("bucket", bucket)?;
    Ok(Span::Window { window, bucket })
}

fn exact(max_ids: Given<'_, '_>, detect_conflicts: Given<'_, '_>) -> PyResult<AnySize> {
    let max_ids = max_ids.map(|max_ids| convert::count("max_ids", "1 to 2^53-1 ids", max_ids));
    Ok(AnySize::Exact {
        max_ids: max_ids.transpose()?,
        detect_conflicts: convert::flag("detect_conflicts", detect_conflicts)?,
    })
}

fn load(expected_ids: &Bound<'_, PyAny>, false_drop_rate: &Bound<'_, PyAny>) -> PyResult<Load> {
    let accepted = "from 1 to as many ids as fit 2^32 lines of 64 bytes at this rate";
    let expected_ids = convert::count("expected_ids", accepted, expected_ids)?;
    let rate = convert::rate("false_drop_rate", false_drop_rate)?;
    Ok(Load::new(expected_ids, rate))
}

impl Window {
    fn build(
        py: Python<'_>,
        span: Span,
        size: AnySize,
        options: Options<'_, '_>,
    ) -> PyResult<Self> {
        let (on_full, secret, clock, max_step, max_lateness) = options;
        let mut config = AnyConfig::new(span, size);
        config.on_full = Some(on_full.0);
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

    pub(crate) fn commit_token(
        &self,
        py: Python<'_>,
        token: Token,
        now: Given<'_, '_>,
    ) -> PyResult<()> {
        let now = self.now(py, now)?;
        done(py, self.with(|core| core.commit(token, now)))
    }

    pub(crate) fn renew_token(
        &self,
        token: Token,
        lease: &Bound<'_, PyAny>,
        now: Given<'_, '_>,
    ) -> PyResult<()> {
        let (py, lease) = (lease.py(), convert::time("lease", lease)?);
        let now = self.now(py, now)?;
        done(py, self.with(|core| core.renew(token, lease, now)))
    }

    pub(crate) fn release_token(&self, py: Python<'_>, token: Token) -> PyResult<()> {
        done(py, self.with(|core| core.release(token)))
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
