//! The short way into `first_seen`, and the only file of this crate with `unsafe` in it.
//!
//! What PyO3 generates around a method, the arguments of any form and the thread's bookkeeping, takes a fifth of a call. So
//! [`first_seen`] stands before it: the plainest calls it answers itself by [`Window::quick`], and every other one it hands on as it
//! came. So PyO3's method says what is accepted and what is raised, and this file only what is quick.
#![expect(
    unsafe_code,
    reason = "CPython calls a method by C's rules; a known id takes 54 ns through PyO3 and 42 by this way"
)]

use std::ffi::{c_char, CStr};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::null_mut;
use std::sync::OnceLock;

use firstseen::Error;
use pyo3::exceptions::PySystemError;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};
use pyo3::{ffi, intern, Borrowed};

use crate::error::refused;
use crate::window::Window;

const NAME: &CStr = c"first_seen";
const FORM: i32 = ffi::METH_FASTCALL | ffi::METH_KEYWORDS;

/// PyO3's method.
static GENERAL: OnceLock<ffi::PyCFunctionFastWithKeywords> = OnceLock::new();

/// Puts [`first_seen`] into the class, in the place of PyO3's, whose name, signature and documentation it keeps.
pub(crate) fn install(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<Window>();
    // SAFETY: the class is a heap type; this slot of one is its methods or null, and lives as long as the class, which is never freed.
    let found = unsafe {
        let methods = ffi::PyType_GetSlot(class.as_type_ptr(), ffi::Py_tp_methods);
        find(methods.cast())
    };
    let Some((method, general)) = found else {
        return Err(PySystemError::new_err("a class without its methods"));
    };
    if GENERAL.set(general).is_err() {
        // It is in its place already.
        return Ok(());
    }
    let front = Box::leak(Box::new(ffi::PyMethodDef {
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunctionFastWithKeywords: first_seen,
        },
        ..*method
    }));
    // SAFETY: the definition is of the form that its flags say, and lives for ever.
    let front = unsafe {
        let method = ffi::PyDescr_NewMethod(class.as_type_ptr(), front);
        Bound::from_owned_ptr_or_err(py, method)?
    };
    class.setattr(intern!(py, "first_seen"), front)
}

/// The definition of the method of our name and form, and its function.
///
/// # Safety
/// `methods` is null, or an array of definitions that live for ever, up to one whose name is null.
unsafe fn find(
    mut methods: *const ffi::PyMethodDef,
) -> Option<(&'static ffi::PyMethodDef, ffi::PyCFunctionFastWithKeywords)> {
    // SAFETY: by the contract, `methods` never goes beyond the definition whose name is null, and of that nothing else is read.
    // The flags say which of its forms a function has.
    unsafe {
        while !methods.is_null() {
            let name: *const c_char = (*methods).ml_name;
            if name.is_null() {
                break;
            }
            let method = &*methods;
            if CStr::from_ptr(name) == NAME && method.ml_flags == FORM {
                return Some((method, method.ml_meth.PyCFunctionFastWithKeywords));
            }
            methods = methods.add(1);
        }
    }
    None
}

/// What CPython calls for `window.first_seen(...)`.
///
/// # Safety
/// As CPython calls a method of this form: the thread is attached; `args` are `count` objects, then one for each name in `names`,
/// which is a tuple or null; all of them and `window` live until the call returns.
unsafe extern "C" fn first_seen(
    window: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: by the contract, the thread is attached.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: the contract is the same, and the answer is used before the call returns.
    let plain = unsafe { plain(py, window, args, count, names) };
    if let Some((window, id, now)) = plain {
        // A panic would be a bug of ours. It must not reach C's frames, nor may the call be repeated: it may have recorded the id.
        match catch_unwind(AssertUnwindSafe(|| quick(&window, &id, now.as_deref()))) {
            Ok(Some(Ok(first))) => return PyBool::new(py, first).to_owned().into_ptr(),
            Ok(Some(Err(error))) => return raise(Some(error)),
            Ok(None) => {}
            Err(_) => return raise(None),
        }
    }
    match GENERAL.get() {
        // SAFETY: it is of the same form, so its contract is the same.
        Some(general) => unsafe { general(window, args, count, names) },
        None => raise(None),
    }
}

type Object<'a, 'py> = Borrowed<'a, 'py, PyAny>;

/// The window, the id and the time of a call by place, or with `now` by its name.
///
/// # Safety
/// As that of [`first_seen`], and the answer may be used until the call returns.
#[inline(always)]
unsafe fn plain<'a, 'py>(
    py: Python<'py>,
    window: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> Option<(Object<'a, 'py>, Object<'a, 'py>, Option<Object<'a, 'py>>)> {
    // SAFETY: `names` is an object or null.
    let names = unsafe { Borrowed::from_ptr_or_opt(py, names) };
    let timed = match (count, names) {
        (1, None) => false,
        (2, None) => true,
        (1, Some(names)) if is_now(&names) => true,
        _ => return None,
    };
    // SAFETY: there is one argument, or there are two where the time is among them, by its place or its name.
    unsafe {
        let now = if timed {
            Some(Borrowed::from_ptr_or_opt(py, *args.add(1))?)
        } else {
            None
        };
        Some((
            Borrowed::from_ptr_or_opt(py, window)?,
            Borrowed::from_ptr_or_opt(py, *args)?,
            now,
        ))
    }
}

/// Whether these are the names of one argument, and that is `now`. A name that is equal but another object may be missed.
fn is_now(names: &Bound<'_, PyAny>) -> bool {
    let now = intern!(names.py(), "now");
    names.cast_exact::<PyTuple>().is_ok_and(|names| {
        names.len() == 1 && names.get_borrowed_item(0).is_ok_and(|name| name.is(now))
    })
}

#[inline(always)]
fn quick(
    window: &Bound<'_, PyAny>,
    id: &Bound<'_, PyAny>,
    now: Option<&Bound<'_, PyAny>>,
) -> Option<Result<bool, Error>> {
    window.cast_exact::<Window>().ok()?.get().quick(id, now)
}

/// Raises what the core refused; without an error, that the core has failed.
#[cold]
fn raise(error: Option<Error>) -> *mut ffi::PyObject {
    // The thread is attached, but PyO3 was not told.
    Python::attach(|py| {
        let exception = match error {
            Some(error) => refused(py, error),
            None => PanicException::new_err("a bug in firstseen: see the message above"),
        };
        exception.restore(py);
    });
    null_mut()
}
