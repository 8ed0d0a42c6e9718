//! The figures of a window, as Python sees them.

use pyo3::prelude::*;

/// One list of the figures serves the attributes and the text form of a record.
macro_rules! figures {
    ($record:ident, $($(#[doc = $doc:literal])* $name:ident: $type:ty,)*) => {
        #[pymethods]
        impl $record {
            $(
                $(#[doc = $doc])*
                #[getter]
                fn $name(&self) -> $type {
                    self.0.$name
                }
            )*

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                use std::fmt::Write as _;

                use pyo3::IntoPyObjectExt as _;

                let mut text = String::from(concat!(stringify!($record), "("));
                $(
                    let value = self.0.$name.into_py_any(py)?;
                    let _ = write!(text, "{}={}, ", stringify!($name), value.bind(py).repr()?);
                )*
                text.truncate(text.len() - 2);
                text.push(')');
                Ok(text)
            }
        }
    };
}

/// A window's counts since it was built, and its state. A record of one moment: ask again for later figures.
#[pyclass(frozen, eq, module = "firstseen")]
#[derive(PartialEq)]
pub(crate) struct Stats(pub(crate) firstseen::Stats);

figures! {
    Stats,
    /// Recording calls, one per id, that got a verdict or `full`.
    checked: u64,
    /// Verdicts `first`.
    first: u64,
    /// Verdicts `duplicate`.
    duplicate: u64,
    /// Verdicts `conflict`: only where conflicts are detected.
    conflict: u64,
    /// Verdicts `probable_duplicate`: only from a probabilistic memory.
    probable_duplicate: u64,
    /// Verdicts `in_flight`: only where ids are claimed.
    in_flight: u64,
    /// Verdicts `late`.
    late: u64,
    /// Calls refused with `full`.
    rejected: u64,
    /// Ids forgotten because their time was over.
    expired: u64,
    /// Ids forgotten before their time, for want of room.
    evicted: u64,
    /// Ids forgotten by `forget` and `clear`.
    forgotten: u64,
    /// Claims whose lease ran out.
    leases_expired: u64,
    /// Ids whose time was behind the newest bucket.
    clock_regressions: u64,
    /// Times the window was re-anchored because the caller's clock was reset.
    clock_resets: u64,
    /// Ids remembered.
    held: u64,
    /// Claims whose lease runs.
    pending: u64,
    /// The cap on ids held, if there is one.
    max_ids: Option<u64>,
    /// Bytes allocated for the window's ids and buckets.
    memory_bytes: u64,
    /// How long an id is remembered, at least.
    window_ms: u64,
    /// The bucket width.
    bucket_ms: u64,
    /// The number of buckets.
    buckets: u64,
    /// How far back the memory is complete: the one number that shows a window that silently shrank.
    effective_window_ms: u64,
    /// The age of the oldest id held, to the bucket.
    oldest_age_ms: Option<u64>,
    /// How full the memory is: held / max_ids; of a filter, by what it was built for; None where there is no bound.
    fill_ratio: Option<f64>,
    /// The chance that a new id is now taken for a duplicate.
    estimated_false_drop_rate: f64,
}
