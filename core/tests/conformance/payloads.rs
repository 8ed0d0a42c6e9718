//! A case of a payload.

use firstseen::{fingerprint_json, Error, Fingerprint, JsonOptions, Secret};
use serde_json::Value;

use super::values::{hex, id};

/// The fingerprint of a payload, of which `lists` says what counts.
pub(crate) fn print(
    payload: &Value,
    [ignore, only]: [&Value; 2],
    secret: &Value,
) -> Result<Fingerprint, Error> {
    let (ignore, only) = (pointers(ignore), pointers(only));
    let mut options = JsonOptions::new();
    if let Some(pointers) = &ignore {
        options = options.ignore(pointers);
    }
    if let Some(pointers) = &only {
        options = options.only(pointers);
    }
    if !secret.is_null() {
        options = options.secret(Secret::try_from(hex(secret).as_slice())?);
    }
    fingerprint_json(id(payload)?.bytes(), &options)
}

fn pointers(list: &Value) -> Option<Vec<&str>> {
    if list.is_null() {
        return None;
    }
    let pointers = list.as_array().expect("this host can express lists only");
    Some(pointers.iter().map(|each| each.as_str().unwrap()).collect())
}
