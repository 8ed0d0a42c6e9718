//! Plans, as Python sees them.

use firstseen::sizing;
use firstseen::{Error, Millis};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};

use crate::convert;
use crate::error::{kind, refused, wrong_type};

/// How much memory a window takes, and which one to use, for so many events a second and a window of this length.
///
/// `budget` is how many bytes it may take, `false_drop_rate` which share of new events may be lost: without it none may, and no filter
/// is recommended. `str()` of the plan is a table. A rate that counts redeliveries gives figures that are too high, never too low.
///
/// Raises FirstSeenError: invalid_config for a rate that is not above 0 or comes to 2^41 ids in a window, and for options out of
/// range; invalid_time.
///
/// >>> import firstseen
/// >>> plan = firstseen.plan(1000, 600, budget=4 << 20, false_drop_rate=0.001)
/// >>> plan.recommended, plan.expected_ids, plan.exact.fits
/// ('cuckoo', 600000, False)
#[pyfunction]
#[pyo3(signature = (rate, window, *, budget=None, false_drop_rate=None))]
pub(crate) fn plan(
    rate: &Bound<'_, PyAny>,
    window: &Bound<'_, PyAny>,
    budget: Option<&Bound<'_, PyAny>>,
    false_drop_rate: Option<&Bound<'_, PyAny>>,
) -> PyResult<Plan> {
    let rate_per_second = number("rate", "a number of events a second", rate)?;
    let mut config = sizing::plan(rate_per_second, convert::time("window", window)?);
    config.budget = budget
        .map(|budget| convert::count("budget", "1 to 2^53-1 bytes", budget))
        .transpose()?;
    config.false_drop_rate = false_drop_rate
        .map(|rate| number("false_drop_rate", "a rate from 1e-10 to 0.5", rate))
        .transpose()?;
    let plan = config.build();
    plan.map(Plan).map_err(|error| refused(rate.py(), error))
}

fn number(name: &'static str, accepted: &'static str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let is_number = value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>();
    if !is_number || value.is_instance_of::<PyBool>() {
        let error = Error::invalid_config(name, kind(value), accepted);
        return Err(wrong_type(value.py(), error));
    }
    value.extract().map_err(|_| {
        let error = Error::invalid_config(name, "an integer beyond all floats", accepted);
        refused(value.py(), error)
    })
}

/// What each memory would take for a load. `str()` is a table.
#[pyclass(frozen, eq, module = "firstseen")]
#[derive(PartialEq)]
pub(crate) struct Plan(sizing::Plan);

#[pymethods]
impl Plan {
    /// Events a second, as given.
    #[getter]
    fn rate(&self) -> f64 {
        self.0.config.rate
    }

    /// For how long an id is to be remembered, at least.
    #[getter]
    fn window_ms(&self) -> u64 {
        self.0.config.window.0
    }

    /// Bytes that the window may take; None if not given.
    #[getter]
    fn budget(&self) -> Option<u64> {
        self.0.config.budget
    }

    /// Which share of new events may be lost; None if not given.
    #[getter]
    fn false_drop_rate(&self) -> Option<f64> {
        self.0.config.false_drop_rate
    }

    /// Distinct ids in a window, at most.
    #[getter]
    fn expected_ids(&self) -> u64 {
        self.0.expected_ids
    }

    /// The exact memory.
    #[getter]
    fn exact(&self) -> PlanChoice {
        self.0.exact.into()
    }

    /// The cuckoo filter at the rate given, or at 0.001; None if it cannot keep that rate, however large.
    #[getter]
    fn cuckoo(&self) -> Option<PlanChoice> {
        self.0.cuckoo.map(Into::into)
    }

    /// The Bloom filter likewise.
    #[getter]
    fn bloom(&self) -> Option<PlanChoice> {
        self.0.bloom.map(Into::into)
    }

    /// "exact" wherever that fits; else, if a false drop rate is given, a filter that does; None if nothing does.
    #[getter]
    fn recommended(&self) -> Option<&'static str> {
        self.0.recommended.map(sizing::MemoryKind::name)
    }

    /// Why.
    #[getter]
    fn reason(&self) -> String {
        self.0.reason()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let recommended = self.recommended();
        let recommended = recommended.map_or("None".to_owned(), |name| format!("'{name}'"));
        let ids = self.0.expected_ids;
        format!("Plan(recommended={recommended}, expected_ids={ids})")
    }
}

/// What one memory would take, and what it would lose.
#[pyclass(frozen, eq, module = "firstseen")]
#[derive(PartialEq)]
pub(crate) struct PlanChoice(Figures);

#[derive(PartialEq)]
struct Figures {
    memory: &'static str,
    bytes: u64,
    fits: bool,
    false_drop_rate: f64,
    false_drops_per_day: f64,
    remembered_ms: u64,
    fitting_window_ms: Option<u64>,
}

impl From<sizing::Choice> for PlanChoice {
    fn from(choice: sizing::Choice) -> Self {
        let Millis(remembered_ms) = choice.remembered;
        Self(Figures {
            memory: choice.memory.name(),
            bytes: choice.bytes,
            fits: choice.fits,
            false_drop_rate: choice.false_drop_rate,
            false_drops_per_day: choice.false_drops_per_day,
            remembered_ms,
            fitting_window_ms: choice.fitting_window.map(|window| window.0),
        })
    }
}

figures! {
    PlanChoice,
    /// "exact", "cuckoo" or "bloom".
    memory: &'static str,
    /// Bytes at most, at the peak of its growth.
    bytes: u64,
    /// Whether that is within the budget; True without one.
    fits: bool,
    /// The chance that a new id is taken for a duplicate, on average and at most.
    false_drop_rate: f64,
    /// How many events a day are lost so, if all are new.
    false_drops_per_day: f64,
    /// How long an id is remembered, at most; at least it is the window.
    remembered_ms: u64,
    /// If it does not fit, a window that would; None if it fits, and if no window does.
    fitting_window_ms: Option<u64>,
}
