//! What a window says of an event, as Python sees it.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::convert::reserve;

/// What a window says of one event.
#[pyclass(frozen, eq, module = "firstseen")]
#[derive(PartialEq)]
pub(crate) struct Verdict(pub(crate) firstseen::Verdict);

#[pymethods]
impl Verdict {
    /// The stable name: "first", "duplicate", "probable_duplicate", "conflict", "in_flight" or "late".
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

    /// How long ago a duplicate, or what an event conflicts with, was accepted, to the bucket; None for other verdicts.
    #[getter]
    fn age_ms(&self) -> Option<u64> {
        self.0.age().map(|age| age.0)
    }

    /// How long the lease runs still of what is in flight; None for other verdicts.
    #[getter]
    fn lease_left_ms(&self) -> Option<u64> {
        self.0.lease_left().map(|left| left.0)
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(
            "a verdict has no truth value: ask for `.first` or `.acknowledge`",
        ))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.kind(), self.age_ms(), self.lease_left_ms()).hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let kind = self.kind();
        match (self.age_ms(), self.lease_left_ms()) {
            (Some(age_ms), _) => format!("Verdict(kind='{kind}', age_ms={age_ms})"),
            (_, Some(left)) => format!("Verdict(kind='{kind}', lease_left_ms={left})"),
            _ => format!("Verdict(kind='{kind}')"),
        }
    }
}

/// The verdicts of a batch. Equal neighbours share one object: most of a batch is alike, and a verdict is a value.
pub(crate) fn list(
    py: Python<'_>,
    verdicts: Vec<firstseen::Verdict>,
) -> PyResult<Bound<'_, PyList>> {
    let mut objects: Vec<Bound<'_, Verdict>> = Vec::new();
    reserve(py, &mut objects, verdicts.len())?;
    for verdict in verdicts {
        let object = match objects.last() {
            Some(last) if last.get().0 == verdict => last.clone(),
            _ => Bound::new(py, Verdict(verdict))?,
        };
        objects.push(object);
    }
    PyList::new(py, objects)
}
