//! From Python's values to the core's: ids, times, options.

use std::borrow::Cow;
use std::str::FromStr;

use firstseen::{Error, Fingerprinter, Id, Key, Millis, Part, Secret};
use pyo3::exceptions::{PyUnicodeEncodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDelta, PyDeltaAccess, PyFloat, PyInt, PyList, PyMemoryView,
    PyString, PyTuple, PyType,
};
use pyo3::{intern, Borrowed};

use crate::error::{kind, refused, wrong_type};

/// The key of any id.
#[inline(always)]
pub(crate) fn key(printer: &Fingerprinter, id: &Bound<'_, PyAny>) -> PyResult<Key> {
    match plain_key(printer, id) {
        Some(key) => Ok(key),
        None => other_key(printer, id),
    }
}

#[inline(never)]
fn other_key(printer: &Fingerprinter, id: &Bound<'_, PyAny>) -> PyResult<Key> {
    with_id(id, |id| printer.key(id))
}

/// The key of a plain text, byte string or integer, as most ids are; None for another, and for one that is refused. Raises nothing.
#[inline(always)]
pub(crate) fn plain_key(printer: &Fingerprinter, id: &Bound<'_, PyAny>) -> Option<Key> {
    // The type is asked for first, since a cast that fails makes an error.
    if !id.is_exact_instance_of::<PyString>() {
        return other_plain_key(printer, id);
    }
    let text = id.cast_exact::<PyString>().ok()?;
    printer.key(text.to_str().ok()?).ok()
}

#[inline(never)]
fn other_plain_key(printer: &Fingerprinter, id: &Bound<'_, PyAny>) -> Option<Key> {
    if id.is_exact_instance_of::<PyBytes>() {
        let bytes = id.cast_exact::<PyBytes>().ok()?;
        return printer.key(bytes.as_bytes()).ok();
    }
    if !id.is_exact_instance_of::<PyInt>() {
        return None;
    }
    printer.key(id.extract::<u64>().ok()?).ok()
}

/// Lends an id to `take` as the core's.
pub(crate) fn with_id<R>(
    id: &Bound<'_, PyAny>,
    take: impl FnOnce(Id<'_>) -> Result<R, Error>,
) -> PyResult<R> {
    let taken = if let Ok(parts) = id.cast::<PyTuple>() {
        let contents = parts
            .iter_borrowed()
            .map(Content::read)
            .collect::<PyResult<Vec<_>>>()?;
        let parts: Vec<_> = contents.iter().map(Content::part).collect();
        take(Id::from(&parts))
    } else {
        let content = Content::read(id.as_borrowed())?;
        take(match content.part() {
            Part::Bytes(bytes) => Id::Bytes(bytes),
            Part::Int(value) => Id::Int(value),
        })
    };
    taken.map_err(|error| refused(id.py(), error))
}

/// The fingerprints of a batch, every one of them or an exception.
pub(crate) fn prints(printer: &Fingerprinter, ids: &Bound<'_, PyAny>) -> PyResult<Vec<Key>> {
    let py = ids.py();
    if ids.is_instance_of::<PyString>() || ids.is_instance_of::<PyBytes>() || is_buffer(ids) {
        let found = "a lone text or byte string where an iterable of ids is needed";
        return Err(refused(py, Error::invalid_id(found)));
    }
    let mut prints = Vec::new();
    for id in iterate(ids)? {
        let print = key(printer, &id?)?;
        if prints.len() == prints.capacity() {
            let more = prints.len().max(32);
            reserve(py, &mut prints, more)?;
        }
        prints.push(print);
    }
    Ok(prints)
}

/// Makes room for more, or raises where `Vec` would abort.
pub(crate) fn reserve<T>(py: Python<'_>, vec: &mut Vec<T>, more: usize) -> PyResult<()> {
    vec.try_reserve(more)
        .map_err(|_| refused(py, Error::OutOfMemory))
}

fn iterate<'py>(ids: &Bound<'py, PyAny>) -> PyResult<Bound<'py, pyo3::types::PyIterator>> {
    ids.try_iter().or_else(|error| {
        let class = ids.get_type();
        // What an iterable raises itself is its own affair.
        if class.hasattr("__iter__")? || class.hasattr("__getitem__")? {
            return Err(error);
        }
        let found = format!("{} where an iterable of ids is needed", kind(ids));
        Err(refused(ids.py(), Error::invalid_id(found)))
    })
}

/// What one text, byte string or integer holds.
enum Content<'a> {
    Bytes(Cow<'a, [u8]>),
    Int(u64),
}

impl<'a> Content<'a> {
    fn read(value: Borrowed<'a, '_, PyAny>) -> PyResult<Self> {
        let py = value.py();
        if value.is_instance_of::<PyString>() {
            return Ok(Self::Bytes(Cow::Borrowed(utf8(value)?.as_bytes())));
        }
        if value.is_instance_of::<PyBytes>() {
            return Ok(Self::Bytes(Cow::Borrowed(FromPyObject::extract(value)?)));
        }
        if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
            return match value.extract::<u64>() {
                Ok(value) => Ok(Self::Int(value)),
                Err(_) => Err(refused(py, int_out_of_range(&value))),
            };
        }
        if is_buffer(&value) {
            return Ok(Self::Bytes(Cow::Owned(buffer(&value)?)));
        }
        if value.is_instance(uuid(py)?)? {
            let text = uuid_text(value.getattr(intern!(py, "int"))?.extract()?);
            return Ok(Self::Bytes(Cow::Owned(text.into_bytes())));
        }
        Err(refused(py, Error::invalid_id(not_an_id(&value))))
    }

    fn part(&self) -> Part<'_> {
        match self {
            Self::Bytes(bytes) => Part::Bytes(bytes),
            Self::Int(value) => Part::Int(*value),
        }
    }
}

/// The bytes of a text in UTF-8, of bytes, of a copy of a buffer; None for anything else.
pub(crate) fn bytes_of<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<Option<Cow<'a, [u8]>>> {
    if value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() || is_buffer(value) {
        if let Content::Bytes(bytes) = Content::read(value.as_borrowed())? {
            return Ok(Some(bytes));
        }
    }
    Ok(None)
}

fn utf8<'a>(text: Borrowed<'a, '_, PyAny>) -> PyResult<&'a str> {
    <&str>::extract(text).map_err(|error| invalid_text(&text, error))
}

#[cold]
fn invalid_text(text: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = text.py();
    if !error.is_instance_of::<PyUnicodeEncodeError>(py) {
        return error;
    }
    let utf16 = text.call_method1("encode", ("utf-16-le", "surrogatepass"));
    match utf16.and_then(|utf16| utf16.len()) {
        Ok(bytes) => refused(py, Error::InvalidText { units: bytes / 2 }),
        Err(error) => error,
    }
}

fn is_buffer(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyByteArray>() || value.is_instance_of::<PyMemoryView>()
}

/// A copy, since others may write to a buffer.
fn buffer(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    match PyByteArray::from(value) {
        Ok(copy) => Ok(copy.to_vec()),
        Err(error) if error.is_instance_of::<PyValueError>(value.py()) => Err(refused(
            value.py(),
            Error::invalid_id("a memoryview that was released"),
        )),
        Err(error) => Err(error),
    }
}

fn uuid<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyType>> {
    static UUID: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    UUID.import(py, "uuid", "UUID")
}

fn uuid_text(value: u128) -> String {
    let mut text = format!("{value:032x}");
    for hyphen in [8, 13, 18, 23] {
        text.insert(hyphen, '-');
    }
    text
}

fn int_out_of_range(value: &Bound<'_, PyAny>) -> Error {
    Error::invalid_id(beyond(value))
}

/// How an integer lies out of 64 bits.
fn beyond(value: &Bound<'_, PyAny>) -> &'static str {
    if is_negative(value) {
        "a negative integer"
    } else {
        "an integer above 2^64-1"
    }
}

/// A number that a producer gives to an event, or an epoch.
pub(crate) fn number(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    let py = value.py();
    if !value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>() {
        return Err(wrong_type(py, Error::invalid_number(name, kind(value))));
    }
    value
        .extract()
        .map_err(|_| refused(py, Error::invalid_number(name, beyond(value))))
}

fn is_negative(value: &Bound<'_, PyAny>) -> bool {
    value.lt(0).unwrap_or(false)
}

fn not_an_id(value: &Bound<'_, PyAny>) -> Cow<'static, str> {
    if value.is_instance_of::<PyTuple>() {
        "a composite with a composite in it".into()
    } else if value.is_instance_of::<PyList>() {
        "a list, where Python's composite is a tuple".into()
    } else {
        kind(value)
    }
}

/// A time or a duration, in seconds. What it lets pass is in range.
#[inline(always)]
pub(crate) fn time(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<Millis> {
    match plain_time(value) {
        Some(time) => Ok(time),
        None => other_time(name, value),
    }
}

/// The time that a plain float or integer says; None for another value, and for one that is out of range. Raises nothing.
#[inline(always)]
pub(crate) fn plain_time(value: &Bound<'_, PyAny>) -> Option<Millis> {
    if !value.is_exact_instance_of::<PyFloat>() {
        return plain_int_time(value);
    }
    let seconds = value.cast_exact::<PyFloat>().ok()?.value();
    Millis::from_secs("", seconds).ok()
}

#[inline(never)]
fn plain_int_time(value: &Bound<'_, PyAny>) -> Option<Millis> {
    if !value.is_exact_instance_of::<PyInt>() {
        return None;
    }
    int_seconds("", value).ok()
}

#[inline(never)]
fn other_time(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<Millis> {
    let converted = if let Ok(seconds) = value.cast::<PyFloat>() {
        Millis::from_secs(name, seconds.value())
    } else if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
        int_seconds(name, value)
    } else if let Ok(delta) = value.cast::<PyDelta>() {
        delta_millis(name, delta)
    } else {
        let error = Error::invalid_time(name, kind(value));
        return Err(wrong_type(value.py(), error));
    };
    converted.map_err(|error| refused(value.py(), error))
}

fn int_seconds(name: &'static str, value: &Bound<'_, PyAny>) -> Result<Millis, Error> {
    match value.extract::<i64>() {
        Ok(seconds) => u64::try_from(seconds)
            .ok()
            .and_then(|seconds| seconds.checked_mul(1000))
            .map(Millis)
            .filter(|time| *time <= Millis::MAX)
            .ok_or_else(|| Error::invalid_time(name, seconds.to_string())),
        Err(_) if is_negative(value) => Err(Error::invalid_time(name, "below -2^63")),
        Err(_) => Err(Error::invalid_time(name, "2^63 or more")),
    }
}

fn delta_millis(name: &'static str, delta: &Bound<'_, PyDelta>) -> Result<Millis, Error> {
    let seconds = i64::from(delta.get_days()) * 86_400 + i64::from(delta.get_seconds());
    let micros = i128::from(seconds) * 1_000_000 + i128::from(delta.get_microseconds());
    let in_range = (micros >= 0).then_some((micros + 500) / 1000);
    in_range
        .and_then(|millis| u64::try_from(millis).ok())
        .map(Millis)
        .filter(|time| *time <= Millis::MAX)
        .ok_or_else(|| Error::invalid_time(name, format!("{micros} us")))
}

/// [`time`] of an option that may be left out.
pub(crate) fn optional_time(
    name: &'static str,
    value: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Millis>> {
    value.map(|value| time(name, value)).transpose()
}

/// A count: `max_ids`, `buckets`. The core knows its range.
pub(crate) fn count(
    name: &'static str,
    accepted: &'static str,
    value: &Bound<'_, PyAny>,
) -> PyResult<u64> {
    let py = value.py();
    if !value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>() {
        let error = Error::invalid_config(name, kind(value), accepted);
        return Err(wrong_type(py, error));
    }
    value.extract().map_err(|_| {
        let found = match value.extract::<i64>() {
            Ok(value) => value.to_string().into(),
            Err(_) if is_negative(value) => "below -2^63".into(),
            Err(_) => Cow::Borrowed("2^64 or more"),
        };
        refused(py, Error::invalid_config(name, found, accepted))
    })
}

/// A claim's token.
pub(crate) fn token(value: &Bound<'_, PyAny>) -> PyResult<firstseen::Token> {
    number("token", value).map(firstseen::Token)
}

/// An option that is on or off; off if left out.
pub(crate) fn flag(name: &'static str, value: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
    let Some(value) = value else {
        return Ok(false);
    };
    match value.cast::<PyBool>() {
        Ok(flag) => Ok(flag.is_true()),
        Err(_) => {
            let error = Error::invalid_config(name, kind(value), "True or False");
            Err(wrong_type(value.py(), error))
        }
    }
}

/// A rate. The core knows its range.
pub(crate) fn rate(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let py = value.py();
    if value.is_instance_of::<PyFloat>()
        || value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>()
    {
        if let Ok(rate) = value.extract() {
            return Ok(rate);
        }
    }
    let error = Error::invalid_config(name, kind(value), "a rate as a float");
    Err(wrong_type(py, error))
}

/// The body of an event: bytes, or the UTF-8 of a text.
pub(crate) fn body(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let bytes = bytes_of(value)?.ok_or_else(|| {
        let error = Error::invalid_config("body", kind(value), "a text or bytes");
        wrong_type(value.py(), error)
    })?;
    Ok(bytes.into_owned())
}

/// The secret: 16 bytes, the portable one if left out.
pub(crate) fn secret(value: Option<&Bound<'_, PyAny>>) -> PyResult<Secret> {
    let Some(value) = value else {
        return Ok(Secret::default());
    };
    let secret = if let Ok(bytes) = value.cast::<PyBytes>() {
        Secret::try_from(bytes.as_bytes())
    } else if is_buffer(value) {
        Secret::try_from(buffer(value)?.as_slice())
    } else {
        let error = Error::invalid_config("secret", kind(value), "exactly 16 bytes");
        return Err(wrong_type(value.py(), error));
    };
    secret.map_err(|error| refused(value.py(), error))
}

/// What to do when `max_ids` are held, by its name.
pub(crate) struct OnFull(pub(crate) firstseen::OnFull);

impl FromPyObject<'_, '_> for OnFull {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let py = value.py();
        if !value.is_instance_of::<PyString>() {
            let accepted = "`evict_oldest`, `reject` or `degrade`, as the memory allows";
            let error = Error::invalid_config("on_full", kind(&value), accepted);
            return Err(wrong_type(py, error));
        }
        firstseen::OnFull::from_str(utf8(value)?)
            .map(Self)
            .map_err(|error| refused(py, error))
    }
}

/// A clock: anything that can be called.
pub(crate) fn clock(value: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    if value.is_callable() {
        return Ok(value.clone().unbind());
    }
    let accepted = "a callable that returns seconds";
    let error = Error::invalid_config("clock", kind(value), accepted);
    Err(wrong_type(value.py(), error))
}
