//! The Python package's native module: it converts an id, a time, options, a verdict and an error, and nothing else.

mod buffer;
mod claim;
mod convert;
mod error;
mod front;
mod json;
mod metrics;
#[macro_use]
mod stats;
mod plan;
mod sequences;
mod verdict;
mod window;

use pyo3::prelude::*;

/// What `firstseen` re-exports.
#[pymodule(gil_used = false)]
mod _native {
    use firstseen::{Fingerprinter, Secret, ERROR_CODES};
    use pyo3::prelude::*;
    use pyo3::types::{PyBytes, PyTuple};

    use crate::{convert, front};

    #[pymodule_export]
    use crate::claim::Claim;
    #[pymodule_export]
    use crate::json::fingerprint_json;
    #[pymodule_export]
    use crate::metrics::open_metrics;
    #[pymodule_export]
    use crate::plan::{plan, Plan, PlanChoice};
    #[pymodule_export]
    use crate::sequences::{SequenceStats, SequenceVerdict, Sequences};
    #[pymodule_export]
    use crate::stats::Stats;
    #[pymodule_export]
    use crate::verdict::Verdict;
    #[pymodule_export]
    use crate::window::Window;

    /// An id's stable hash: 16 bytes that are the same in every host and version.
    ///
    /// Raises FirstSeenError: empty_id, invalid_id, invalid_text; invalid_config for a secret that is not 16 bytes.
    #[pyfunction]
    #[pyo3(signature = (id, *, secret=None))]
    fn fingerprint<'py>(
        id: &Bound<'py, PyAny>,
        secret: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        // The id is judged first, as it stands first.
        let secret = convert::secret(secret);
        let printer = Fingerprinter::new(secret.as_ref().unwrap_or(&Secret::default()));
        let print = convert::with_id(id, |id| printer.fingerprint(id))?;
        secret?;
        Ok(PyBytes::new(id.py(), &print.to_bytes()))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        front::install(module.py())?;
        module.add("ERROR_CODES", PyTuple::new(module.py(), ERROR_CODES)?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
