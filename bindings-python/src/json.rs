//! A payload's fingerprint.

use firstseen::{Error, JsonOptions, Secret};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use crate::convert;
use crate::error::{kind, refused, wrong_type};

/// The fingerprint of a payload's content: 16 bytes, of the canonical form (RFC 8785) of a JSON text, as an id of text.
///
/// Do not use it where the producer gives an id; nor where two real events can have the same payload, which this takes for
/// one: put what tells them apart beside it, as in (fingerprint_json(body), minute).
///
/// ignore leaves out, and only keeps, what these JSON Pointers (RFC 6901) name: "/meta/sent_at", "/items/0".
///
/// Raises FirstSeenError: invalid_json with the byte at which the text is no JSON or ambiguous; invalid_text;
/// invalid_config for what is no pointer, an empty only, both lists; empty_id if the lists leave nothing.
#[pyfunction]
#[pyo3(signature = (text, *, ignore=None, only=None, secret=None))]
pub(crate) fn fingerprint_json<'py>(
    text: &Bound<'py, PyAny>,
    ignore: Option<&Bound<'py, PyAny>>,
    only: Option<&Bound<'py, PyAny>>,
    secret: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = text.py();
    let print = |options: &JsonOptions<'_>| {
        let bytes = convert::bytes_of(text)?.ok_or_else(|| {
            let found = kind(text);
            wrong_type(py, Error::InvalidJson { found, at: None })
        })?;
        firstseen::fingerprint_json(bytes, options).map_err(|error| refused(py, error))
    };
    // Arguments are judged in the order in which they stand.
    let mut options = JsonOptions::new();
    let lists = pointers("ignore", ignore).and_then(|ignore| Ok((ignore, pointers("only", only)?)));
    let (ignore, only) = match lists {
        Ok(lists) => lists,
        Err(error) => {
            print(&options)?;
            return Err(error);
        }
    };
    let (ignore, only) = (ignore.as_deref().map(texts), only.as_deref().map(texts));
    if let Some(pointers) = &ignore {
        options = options.ignore(pointers);
    }
    if let Some(pointers) = &only {
        options = options.only(pointers);
    }
    let secret = convert::secret(secret);
    let print = print(&options.secret(*secret.as_ref().unwrap_or(&Secret::default())))?;
    secret?;
    Ok(PyBytes::new(py, &print.to_bytes()))
}

fn texts(pointers: &[String]) -> Vec<&str> {
    pointers.iter().map(String::as_str).collect()
}

/// The list or tuple of an option.
fn pointers(name: &'static str, list: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<String>>> {
    const ACCEPTED: &str = "a list or a tuple of JSON Pointers";
    let Some(list) = list else {
        return Ok(None);
    };
    let wrong = |value: &Bound<'_, PyAny>| {
        wrong_type(
            value.py(),
            Error::invalid_config(name, kind(value), ACCEPTED),
        )
    };
    if !list.is_instance_of::<PyList>() && !list.is_instance_of::<PyTuple>() {
        return Err(wrong(list));
    }
    let pointers = list.try_iter()?.map(|pointer| {
        let pointer = pointer?;
        let text = pointer.cast::<PyString>().map_err(|_| wrong(&pointer))?;
        let text = text.to_str().map_err(|_| {
            let error = Error::invalid_config(name, "a text with a lone surrogate", ACCEPTED);
            refused(pointer.py(), error)
        })?;
        Ok(text.to_owned())
    });
    pointers.collect::<PyResult<_>>().map(Some)
}
