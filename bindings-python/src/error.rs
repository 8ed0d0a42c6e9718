//! From the core's errors to Python's exceptions, which `firstseen._errors` defines.

use std::borrow::Cow;

use firstseen::Error;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The exception for an error of the core.
#[cold]
pub(crate) fn refused(py: Python<'_>, error: Error) -> PyErr {
    let class = match error {
        Error::InvalidId { .. } => "FirstSeenTypeError",
        Error::EmptyId { .. }
        | Error::EmptyPayload
        | Error::InvalidJson { .. }
        | Error::InvalidNumber { .. }
        | Error::InvalidText { .. }
        | Error::InvalidTime { .. }
        | Error::ClockStep { .. }
        | Error::InvalidConfig { .. } => "FirstSeenValueError",
        _ => "FirstSeenError",
    };
    raise(py, class, &error)
}

/// The exception for an argument of a wrong type.
#[cold]
pub(crate) fn wrong_type(py: Python<'_>, error: Error) -> PyErr {
    raise(py, "FirstSeenTypeError", &error)
}

/// How a message names a value by its type; its content may be a part of an id.
pub(crate) fn kind(value: &Bound<'_, PyAny>) -> Cow<'static, str> {
    match value.get_type().name() {
        Ok(name) => format!("a value of type {name}").into(),
        Err(_) => "a value of a nameless type".into(),
    }
}

fn raise(py: Python<'_>, class: &'static str, error: &Error) -> PyErr {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || {
        PyModule::import(py, "firstseen._errors").map(Bound::unbind)
    });
    let class =
        module.and_then(|module| Ok(module.bind(py).getattr(class)?.cast_into::<PyType>()?));
    match class {
        Ok(class) => PyErr::from_type(class, (error.to_string(), error.code())),
        Err(failed) => failed,
    }
}
