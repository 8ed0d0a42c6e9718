//! The figures of windows and sequences as OpenMetrics text.

use std::borrow::Cow;

use firstseen::{Error, OpenMetrics};
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString, PyTuple};

use crate::error::{kind, refused, wrong_type};
use crate::sequences::SequenceStats;
use crate::stats::Stats;

const NAMES: &str = "texts that are not empty and have no lone surrogate";
const VALUES: &str = "a mapping from names to windows and sequences";

/// The figures of windows and sequences as OpenMetrics 1.0 text, as of `now` or each window's time, whichever is later.
///
/// `windows` maps names to windows and sequences; a name is the value of the label `window` or `sequences`. Changes nothing. Its media type is
/// "application/openmetrics-text; version=1.0.0; charset=utf-8". `firstseen.prometheus.Collector` gives the same to prometheus_client.
///
/// Raises FirstSeenError: invalid_config for anything else than such a mapping, and for an empty name; invalid_time as `stats`.
///
/// >>> from firstseen import Window, open_metrics
/// >>> window = Window.exact(60)
/// >>> window.first_seen("evt_1", now=0)
/// True
/// >>> [line for line in open_metrics({"payments": window}).splitlines() if line.startswith("firstseen_held")]
/// ['firstseen_held{window="payments"} 1']
#[pyfunction]
#[pyo3(signature = (windows, now=None))]
pub(crate) fn open_metrics(
    windows: &Bound<'_, PyAny>,
    now: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let py = windows.py();
    let Ok(mapping) = windows.cast::<PyMapping>() else {
        return Err(misfit("windows", kind(windows), VALUES, py));
    };
    let mut metrics = OpenMetrics::new();
    for item in mapping.items()?.iter() {
        let item = item.cast_into::<PyTuple>()?;
        let (name, window) = (item.get_item(0)?, item.get_item(1)?);
        let name = name_of(&name)?;
        let Ok(method) = window.getattr("stats") else {
            return Err(misfit("windows", kind(&window), VALUES, py));
        };
        let stats = method.call1((now,))?;
        let added = if let Ok(stats) = stats.cast::<Stats>() {
            metrics.window(&[("window", &name)], &stats.get().0)
        } else if let Ok(stats) = stats.cast::<SequenceStats>() {
            metrics.sequences(&[("sequences", &name)], &stats.get().0)
        } else {
            return Err(misfit("windows", kind(&window), VALUES, py));
        };
        added.map_err(|error| refused(py, error))?;
    }
    metrics.text().map_err(|error| refused(py, error))
}

fn name_of(name: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = name.py();
    let Ok(text) = name.cast::<PyString>() else {
        return Err(misfit("names", kind(name), NAMES, py));
    };
    let found = match text.to_str() {
        Ok("") => "a text of length 0",
        Ok(text) => return Ok(text.to_owned()),
        Err(_) => "a text with a lone surrogate",
    };
    Err(refused(py, Error::invalid_config("names", found, NAMES)))
}

#[cold]
fn misfit(
    name: &'static str,
    found: Cow<'static, str>,
    accepted: &'static str,
    py: Python<'_>,
) -> PyErr {
    wrong_type(py, Error::invalid_config(name, found, accepted))
}
