//! A payload's fingerprint, from the facade's bytes.

use alloc::vec::Vec;

use firstseen::{fingerprint_json, Error, Fingerprint, JsonOptions, Secret};

use crate::convert::{chunk, malformed};
use crate::Engine;

/// Stands for a list that is not given.
const NONE: u32 = u32::MAX;

impl<C> Engine<C> {
    /// The fingerprint of a JSON text. `input` has the secret's bytes, the lists `ignore` and `only` as `facade/json.ts`
    /// writes them, and the text.
    pub fn fingerprint_json(&mut self, input: &[u8], secret: usize) -> Option<[u8; 16]> {
        self.print(fingerprint(input, secret))
    }
}

fn fingerprint(input: &[u8], secret: usize) -> Result<Fingerprint, Error> {
    let (secret, mut rest) = input.split_at_checked(secret).ok_or_else(malformed)?;
    let (ignore, only) = (list(&mut rest)?, list(&mut rest)?);
    let mut options = JsonOptions::new();
    if let Some(pointers) = &ignore {
        options = options.ignore(pointers);
    }
    if let Some(pointers) = &only {
        options = options.only(pointers);
    }
    if !secret.is_empty() {
        options = options.secret(Secret::try_from(secret)?);
    }
    fingerprint_json(rest, &options)
}

/// The number of texts, then each with its length before it.
fn list<'a>(rest: &mut &'a [u8]) -> Result<Option<Vec<&'a str>>, Error> {
    let count = u32::from_le_bytes(chunk(rest)?);
    if count == NONE {
        return Ok(None);
    }
    let mut texts = Vec::new();
    for _ in 0..count {
        let length = u32::from_le_bytes(chunk(rest)?) as usize;
        let (text, tail) = rest.split_at_checked(length).ok_or_else(malformed)?;
        *rest = tail;
        texts.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        texts.push(core::str::from_utf8(text).map_err(|_| malformed())?);
    }
    Ok(Some(texts))
}
