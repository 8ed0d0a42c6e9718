//! From whole buffers of ids to fingerprints, without an object per id.

use firstseen::{Error, Fingerprinter, Id, Key};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};

use crate::convert::reserve;
use crate::error::{kind, refused};

/// The fingerprints of a buffer of unsigned 64-bit integers.
pub(crate) fn u64_prints(printer: &Fingerprinter, ids: &Bound<'_, PyAny>) -> PyResult<Vec<Key>> {
    let py = ids.py();
    let needed = "unsigned 64-bit integers";
    let items = Items::read(ids, needed)?;
    if !matches!((items.letter, items.size), ('Q' | 'L', 8)) {
        return Err(items.unfit(py, needed));
    }
    let (items, _) = items.bytes.as_bytes().as_chunks();
    collect(
        py,
        items.len(),
        items
            .iter()
            .map(|item| Ok(Id::Int(u64::from_ne_bytes(*item)))),
        printer,
    )
}

/// The fingerprints of byte strings that lie end to end.
pub(crate) fn packed_prints(
    printer: &Fingerprinter,
    data: &Bound<'_, PyAny>,
    offsets: &Bound<'_, PyAny>,
) -> PyResult<Vec<Key>> {
    let py = data.py();
    let data = content(data)?;
    let data = data.as_bytes();

    let needed = "32- or 64-bit integers";
    let offsets = Items::read(offsets, needed)?;
    let place: fn(&[u8]) -> Option<usize> = match (offsets.letter, offsets.size) {
        ('i' | 'l', 4) => |item| usize::try_from(i32::from_ne_bytes(item.try_into().ok()?)).ok(),
        ('I' | 'L', 4) => |item| usize::try_from(u32::from_ne_bytes(item.try_into().ok()?)).ok(),
        ('q' | 'l', 8) => |item| usize::try_from(i64::from_ne_bytes(item.try_into().ok()?)).ok(),
        ('Q' | 'L', 8) => |item| usize::try_from(u64::from_ne_bytes(item.try_into().ok()?)).ok(),
        _ => return Err(offsets.unfit(py, needed)),
    };

    let mut places = offsets
        .bytes
        .as_bytes()
        .chunks_exact(offsets.size)
        .map(place);
    let Some(first) = places.next() else {
        let found = "no offset where there must be one more than ids";
        return Err(refused(py, Error::invalid_id(found)));
    };
    let outside = || Error::invalid_id("an offset that decreases or lies outside of the data");
    let mut start = first
        .filter(|first| *first <= data.len())
        .ok_or_else(|| refused(py, outside()))?;
    let ids = places.map(|end| {
        let end = end.ok_or_else(outside)?;
        // None too where the end is before the start.
        let id = data.get(start..end).ok_or_else(outside)?;
        start = end;
        Ok(Id::Bytes(id))
    });
    collect(
        py,
        offsets.bytes.as_bytes().len() / offsets.size - 1,
        ids,
        printer,
    )
}

#[inline]
fn collect<'a>(
    py: Python<'_>,
    count: usize,
    ids: impl Iterator<Item = Result<Id<'a>, Error>>,
    printer: &Fingerprinter,
) -> PyResult<Vec<Key>> {
    let mut prints = Vec::new();
    reserve(py, &mut prints, count)?;
    for id in ids {
        let print = id.and_then(|id| printer.key(id));
        prints.push(print.map_err(|error| refused(py, error))?);
    }
    Ok(prints)
}

/// The bytes that offsets point into. Only `bytes` are read where they lie: nobody can write to them.
fn content<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(bytes) = data.cast::<PyBytes>() {
        return Ok(bytes.clone());
    }
    let needed = "bytes";
    let items = Items::read(data, needed)?;
    match (items.letter, items.size) {
        ('B' | 'b' | 'c', 1) => Ok(items.bytes),
        _ => Err(items.unfit(data.py(), needed)),
    }
}

/// A copy of a buffer of one dimension, since others may write to it. The limited interface of 3.10 has no buffers, but `memoryview`.
struct Items<'py> {
    /// The item's letter in the `struct` module's language; '?', which stands for booleans, for a byte order that is not this machine's.
    letter: char,
    size: usize,
    format: String,
    bytes: Bound<'py, PyBytes>,
}

impl<'py> Items<'py> {
    fn read(value: &Bound<'py, PyAny>, needed: &str) -> PyResult<Self> {
        let py = value.py();
        let view = view(value, needed)?;
        if view.getattr(intern!(py, "ndim"))?.extract::<usize>()? != 1 {
            let found = format!("a buffer not of one dimension where one of {needed} is needed");
            return Err(refused(py, Error::invalid_id(found)));
        }
        let format: String = view.getattr(intern!(py, "format"))?.extract()?;
        Ok(Self {
            letter: letter(&format),
            size: view.getattr(intern!(py, "itemsize"))?.extract()?,
            format,
            bytes: view.call_method0(intern!(py, "tobytes"))?.cast_into()?,
        })
    }

    fn unfit(&self, py: Python<'_>, needed: &str) -> PyErr {
        let Self { format, size, .. } = self;
        let found = format!(
            "a buffer of format `{format}` and {size} bytes an item where one of {needed} is needed"
        );
        refused(py, Error::invalid_id(found))
    }
}

fn letter(format: &str) -> char {
    let native = if cfg!(target_endian = "little") {
        '<'
    } else {
        '>'
    };
    let item = format.strip_prefix(['@', '=', native]).unwrap_or(format);
    let mut letters = item.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => letter,
        _ => '?',
    }
}

/// A view of a buffer, or of what `to_numpy` makes of an Arrow array or a data frame's column.
fn view<'py>(value: &Bound<'py, PyAny>, needed: &str) -> PyResult<Bound<'py, PyMemoryView>> {
    let py = value.py();
    let unfit = |error: PyErr| {
        let theirs = error.is_instance_of::<PyTypeError>(py)
            || error.is_instance_of::<PyValueError>(py)
            || error.is_instance_of::<PyBufferError>(py);
        if !theirs {
            return error;
        }
        let found = format!("{} where a buffer of {needed} is needed", kind(value));
        let refusal = refused(py, Error::invalid_id(found));
        refusal.set_cause(py, Some(error));
        refusal
    };
    let lent = match PyMemoryView::from(value) {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            let Some(to_numpy) = value.getattr_opt(intern!(py, "to_numpy"))? else {
                return Err(unfit(error));
            };
            // Without arguments, as Arrow, pandas and Polars agree on. Arrow refuses nulls then, or has floats in their stead.
            let array = to_numpy.call0().map_err(unfit)?;
            PyMemoryView::from(&array).map(|view| (view, array))
        }
        view => view.map(|view| (view, value.clone())),
    };
    let (view, array) = lent.map_err(unfit)?;
    // The buffer of NumPy's masked array shows what the mask hides.
    if array.hasattr(intern!(py, "mask"))? {
        let found = format!("{} with a mask where all items count", kind(&array));
        return Err(refused(py, Error::invalid_id(found)));
    }
    Ok(view)
}
