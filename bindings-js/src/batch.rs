//! From the bytes of several ids to their keys.

use alloc::vec::Vec;

use firstseen::{Error, Fingerprinter, Id, Key};

use crate::convert::{chunk, id, malformed};

const TEXTS: u8 = 4;
const INTEGERS: u8 = 5;
const PACKED: u8 = 6;

/// How the offsets of packed ids are written: the typed array that they come from.
const I32: u8 = 0;
const U32: u8 = 1;
const I64: u8 = 2;
const U64: u8 = 3;

/// The keys of all ids in `input`: one after another, or in one of the forms below.
pub(crate) fn keys(printer: &Fingerprinter, input: &[u8]) -> Result<Vec<Key>, Error> {
    match input.split_first() {
        Some((&TEXTS, rest)) => texts(printer, rest),
        Some((&INTEGERS, rest)) => integers(printer, rest),
        Some((&PACKED, rest)) => packed(printer, rest),
        _ => one_by_one(printer, input),
    }
}

fn one_by_one(printer: &Fingerprinter, mut rest: &[u8]) -> Result<Vec<Key>, Error> {
    let mut keys = Vec::new();
    while !rest.is_empty() {
        if keys.len() == keys.capacity() {
            keys.try_reserve(keys.len().max(16))
                .map_err(|_| Error::OutOfMemory)?;
        }
        keys.push(id(&mut rest, |id| key(printer, id))?);
    }
    Ok(keys)
}

/// Texts only: `4 ‖ their number ‖ their lengths ‖ all their bytes`.
fn texts(printer: &Fingerprinter, mut rest: &[u8]) -> Result<Vec<Key>, Error> {
    let count = u32::from_le_bytes(chunk(&mut rest)?) as usize;
    let (lengths, mut bytes) = split(rest, count, 4)?;
    let (lengths, _) = lengths.as_chunks();
    collect(
        count,
        lengths.iter().map(|length| {
            let length = u32::from_le_bytes(*length) as usize;
            let (text, tail) = bytes.split_at_checked(length).ok_or_else(malformed)?;
            bytes = tail;
            key(printer, Id::Bytes(text))
        }),
    )
}

/// Integers only: `5 ‖ 8 bytes each`, in this machine's order, as typed arrays have them.
fn integers(printer: &Fingerprinter, rest: &[u8]) -> Result<Vec<Key>, Error> {
    let (integers, _) = rest.as_chunks();
    collect(
        integers.len(),
        integers
            .iter()
            .map(|integer| key(printer, Id::Int(u64::from_ne_bytes(*integer)))),
    )
}

/// Byte strings end to end: `6 ‖ kind of the offsets ‖ their number in 8 bytes ‖ the offsets, in this machine's order ‖ the bytes`.
fn packed(printer: &Fingerprinter, mut rest: &[u8]) -> Result<Vec<Key>, Error> {
    let [kind] = chunk(&mut rest)?;
    let count = usize::try_from(u64::from_le_bytes(chunk(&mut rest)?)).map_err(|_| malformed())?;
    let (size, place): (usize, Place) = match kind {
        I32 => (4, |item| {
            usize::try_from(i32::from_ne_bytes(item.try_into().ok()?)).ok()
        }),
        U32 => (4, |item| {
            usize::try_from(u32::from_ne_bytes(item.try_into().ok()?)).ok()
        }),
        I64 => (8, |item| {
            usize::try_from(i64::from_ne_bytes(item.try_into().ok()?)).ok()
        }),
        U64 => (8, |item| {
            usize::try_from(u64::from_ne_bytes(item.try_into().ok()?)).ok()
        }),
        _ => return Err(malformed()),
    };
    let (offsets, bytes) = split(rest, count, size)?;
    let mut places = offsets.chunks_exact(size).map(place);
    let outside = || Error::invalid_id("an offset that decreases or lies outside of the data");
    let mut start = places
        .next()
        .ok_or_else(|| Error::invalid_id("no offset where there must be one more than ids"))?
        .filter(|first| *first <= bytes.len())
        .ok_or_else(outside)?;
    collect(
        count - 1,
        places.map(|end| {
            let end = end.ok_or_else(outside)?;
            // None too where the end is before the start.
            let id = bytes.get(start..end).ok_or_else(outside)?;
            start = end;
            key(printer, Id::Bytes(id))
        }),
    )
}

/// Where an offset points; none if it is negative or larger than any memory.
type Place = fn(&[u8]) -> Option<usize>;

/// The first `count` items of `size` bytes, and what follows them.
fn split(rest: &[u8], count: usize, size: usize) -> Result<(&[u8], &[u8]), Error> {
    count
        .checked_mul(size)
        .and_then(|size| rest.split_at_checked(size))
        .ok_or_else(malformed)
}

#[inline]
fn collect(
    count: usize,
    each: impl Iterator<Item = Result<Key, Error>>,
) -> Result<Vec<Key>, Error> {
    let mut keys = Vec::new();
    keys.try_reserve_exact(count)
        .map_err(|_| Error::OutOfMemory)?;
    for key in each {
        keys.push(key?);
    }
    Ok(keys)
}

/// Once for all forms: in each of them it would make the module larger, and hardly faster.
#[inline(never)]
pub(crate) fn key(printer: &Fingerprinter, id: Id<'_>) -> Result<Key, Error> {
    printer.key(id)
}
