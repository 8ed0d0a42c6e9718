//! A claim, as Python sees it. Nothing here decides anything about claims.

use firstseen::Token;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::convert::reserve;
use crate::verdict::Verdict;
use crate::window::Window;

/// What a window says of an event that you want to process. `first`: process it, then `commit`.
///
/// As a context manager (`with` and `async with`): leaving commits if it is first and stands still; an exception, a cancellation
/// among them, releases. A claim that is not first does nothing.
#[pyclass(frozen, module = "firstseen")]
pub(crate) struct Claim {
    window: Py<Window>,
    claim: firstseen::Claim,
    /// The time that the claim was made with, for a window that is told the time.
    now: Option<Py<PyAny>>,
    done: std::sync::atomic::AtomicBool,
}

type Given<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

impl Claim {
    pub(crate) fn new(
        window: &Bound<'_, Window>,
        claim: firstseen::Claim,
        now: Given<'_, '_>,
    ) -> Self {
        Self {
            window: window.clone().unbind(),
            claim,
            now: now.map(|now| now.clone().unbind()),
            done: false.into(),
        }
    }

    fn settle(&self) {
        self.done.store(true, std::sync::atomic::Ordering::Relaxed);
    }

    fn is_open(&self) -> bool {
        let done = self.done.load(std::sync::atomic::Ordering::Relaxed);
        self.claim.token.is_some() && !done
    }

    fn token_or_lost(&self) -> Token {
        // Token 0 is never given.
        self.claim.token.unwrap_or(Token(0))
    }

    fn leave(&self, py: Python<'_>, failed: bool) -> PyResult<bool> {
        if !self.is_open() {
            return Ok(false);
        }
        self.settle();
        let window = self.window.bind(py).get();
        let token = self.token_or_lost();
        if failed {
            // What was lost meanwhile must not hide the exception that is on its way.
            let _ = window.release_token(py, token);
        } else {
            let now = self.now.as_ref().map(|now| now.bind(py));
            window.commit_token(py, token, now)?;
        }
        Ok(false)
    }
}

#[pymethods]
impl Claim {
    /// Whether to process the event.
    #[getter]
    fn first(&self) -> bool {
        self.claim.is_first()
    }

    /// As `observe` would have said.
    #[getter]
    fn verdict(&self) -> Verdict {
        Verdict(self.claim.verdict)
    }

    /// The claim's name, which grows from claim to claim: a fencing token. None if it is not first.
    #[getter]
    fn token(&self) -> Option<u64> {
        self.claim.token.map(|token| token.0)
    }

    /// The effect is done: remembers the id. Raises FirstSeenError: lease_lost, also for a claim that is not first.
    #[pyo3(signature = (now=None))]
    fn commit(&self, py: Python<'_>, now: Given<'_, '_>) -> PyResult<()> {
        let window = self.window.bind(py).get();
        window.commit_token(py, self.token_or_lost(), now)?;
        self.settle();
        Ok(())
    }

    /// The effect failed: the event's next delivery is first again. Raises FirstSeenError: lease_lost.
    fn release(&self, py: Python<'_>) -> PyResult<()> {
        let window = self.window.bind(py).get();
        window.release_token(py, self.token_or_lost())?;
        self.settle();
        Ok(())
    }

    /// The effect takes longer: the lease runs for `lease` from now on. Raises FirstSeenError: lease_lost.
    #[pyo3(signature = (lease, now=None))]
    fn renew(&self, py: Python<'_>, lease: &Bound<'_, PyAny>, now: Given<'_, '_>) -> PyResult<()> {
        let window = self.window.bind(py).get();
        window.renew_token(self.token_or_lost(), lease, now)
    }

    fn __enter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __exit__(
        &self,
        kind: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        self.leave(kind.py(), !kind.is_none())
    }

    fn __aenter__(this: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        let py = this.py();
        ready(py, this.into_any())
    }

    fn __aexit__<'py>(
        &self,
        kind: &Bound<'py, PyAny>,
        _value: &Bound<'py, PyAny>,
        _traceback: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = kind.py();
        let suppress = self.leave(py, !kind.is_none())?;
        let suppress = suppress.into_pyobject(py)?.to_owned();
        ready(py, suppress.into_any())
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(pyo3::exceptions::PyTypeError::new_err(
            "a claim has no truth value: ask for `.first`",
        ))
    }

    fn __repr__(&self) -> String {
        let kind = self.claim.verdict.kind();
        match self.token() {
            Some(token) => format!("Claim(kind='{kind}', token={token})"),
            None => format!("Claim(kind='{kind}')"),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.window)?;
        match &self.now {
            Some(now) => visit.call(now),
            None => Ok(()),
        }
    }
}

/// Something to await that has its value already.
fn ready<'py>(py: Python<'py>, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    PyModule::import(py, "firstseen._once")?
        .getattr("ready")?
        .call1((value,))
}

/// The claims of a batch.
pub(crate) fn list<'py>(
    window: &Bound<'py, Window>,
    claims: Vec<firstseen::Claim>,
    now: Given<'_, 'py>,
) -> PyResult<Bound<'py, PyList>> {
    let py = window.py();
    let mut objects: Vec<Bound<'py, Claim>> = Vec::new();
    reserve(py, &mut objects, claims.len())?;
    for claim in claims {
        objects.push(Bound::new(py, Claim::new(window, claim, now))?);
    }
    PyList::new(py, objects)
}
