//! From the facade's bytes and numbers to ids, times and options; from verdicts and figures to numbers.

use alloc::vec::Vec;
use core::str::FromStr;

use crate::batch;
use firstseen::{
    Config, Error, Fingerprint, Fingerprinter, Id, Millis, Now, OnFull, Part, Secret, Sequences,
    SequencesConfig, Stats, Verdict, Window,
};

/// How a call's time is meant: told by the caller, ...
pub const TOLD: f64 = 0.0;
/// ... read from the window's clock, ...
pub const CLOCKED: f64 = 1.0;
/// ... or neither.
pub const UNSAID: f64 = 2.0;

/// A time, from how it is meant and its milliseconds.
///
/// # Errors
/// `invalid_time`.
pub fn now((mode, ms): (f64, f64)) -> Result<Now, Error> {
    if mode == TOLD {
        Ok(Now::Told(Millis::from_ms("now", ms)?))
    } else if mode == CLOCKED {
        Ok(Now::Clock(Millis::from_ms("clock", ms)?))
    } else {
        Ok(Now::Unsaid)
    }
}

const BYTES: u8 = 1;
const INT: u8 = 2;
const COMPOSITE: u8 = 3;

/// Hands over the next id: `1 ‖ length ‖ bytes`, `2 ‖ integer`, or `3 ‖ number of parts ‖ parts`; lengths of 4 bytes,
/// integers of 8, little-endian.
pub(crate) fn id<R>(
    rest: &mut &[u8],
    take: impl FnOnce(Id<'_>) -> Result<R, Error>,
) -> Result<R, Error> {
    if rest.first() != Some(&COMPOSITE) {
        return match part(rest)? {
            Part::Bytes(bytes) => take(Id::Bytes(bytes)),
            Part::Int(value) => take(Id::Int(value)),
        };
    }
    let [_] = chunk(rest)?;
    let count = u32::from_le_bytes(chunk(rest)?) as usize;
    let mut parts = Vec::new();
    parts
        .try_reserve_exact(count)
        .map_err(|_| Error::OutOfMemory)?;
    for _ in 0..count {
        parts.push(part(rest)?);
    }
    take(Id::Composite(&parts))
}

fn part<'a>(rest: &mut &'a [u8]) -> Result<Part<'a>, Error> {
    match chunk(rest)? {
        [BYTES] => {
            let length = u32::from_le_bytes(chunk(rest)?) as usize;
            let (bytes, tail) = rest.split_at_checked(length).ok_or_else(malformed)?;
            *rest = tail;
            Ok(Part::Bytes(bytes))
        }
        [INT] => Ok(Part::Int(u64::from_le_bytes(chunk(rest)?))),
        _ => Err(malformed()),
    }
}

pub(crate) fn chunk<const LEN: usize>(rest: &mut &[u8]) -> Result<[u8; LEN], Error> {
    let (head, tail) = rest.split_first_chunk().ok_or_else(malformed)?;
    *rest = tail;
    Ok(*head)
}

/// Only a facade of another version could write such.
pub(crate) fn malformed() -> Error {
    Error::invalid_id("malformed input")
}

/// Enough to tell whether an id is one.
pub(crate) fn unkeyed() -> Fingerprinter {
    Fingerprinter::new(&Secret::default())
}

/// The fingerprint of the id behind the first `secret` bytes; none of them is the default secret.
pub(crate) fn fingerprint(input: &[u8], secret: usize) -> Result<Fingerprint, Error> {
    let (secret, mut rest) = input.split_at_checked(secret).ok_or_else(malformed)?;
    // The id is judged first, as it stands first.
    id(&mut &*rest, |id| batch::key(&unkeyed(), id))?;
    let secret = if secret.is_empty() {
        Secret::default()
    } else {
        Secret::try_from(secret)?
    };
    id(&mut rest, |id| Fingerprinter::new(&secret).fingerprint(id))
}

/// Options as `facade/options.ts` writes them: eight numbers of 8 bytes, then the secret and the policy. The first number
/// says by its bits which of the others are given.
pub(crate) fn config(input: &[u8]) -> Result<Config, Error> {
    let mut rest = input;
    let given = f64::from_le_bytes(chunk(&mut rest)?) as u32;
    let mut number = |bit: u32| -> Result<Option<f64>, Error> {
        let value = f64::from_le_bytes(chunk(&mut rest)?);
        Ok((given & 1 << bit != 0).then_some(value))
    };
    let [window, bucket, buckets, max_ids] = [number(0)?, number(1)?, number(2)?, number(3)?];
    let [max_step, max_lateness, secret] = [number(4)?, number(5)?, number(6)?];
    let (secret, policy) = rest
        .split_at_checked(secret.unwrap_or(0.0) as usize)
        .ok_or_else(malformed)?;

    let mut config = match (window, buckets) {
        (Some(window), _) => Window::exact(Millis::from_ms("window", window)?),
        (None, buckets) => {
            let bucket = Millis::from_ms("bucket", bucket.unwrap_or(f64::NAN))?;
            let buckets = count("buckets", buckets.unwrap_or(f64::NAN), "2 to 250 buckets")?;
            Window::from_buckets(bucket, buckets)
        }
    };
    if let Some(bucket) = bucket {
        config = config.bucket(Millis::from_ms("bucket", bucket)?);
    }
    if let Some(max_ids) = max_ids {
        config = config.max_ids(count("max_ids", max_ids, "1 to 2^53-1 ids")?);
    }
    if given & 1 << 7 != 0 {
        config = config.on_full(OnFull::from_str(
            core::str::from_utf8(policy).unwrap_or("?"),
        )?);
    }
    if given & 1 << 6 != 0 {
        config = config.secret(Secret::try_from(secret)?);
    }
    if let Some(max_step) = max_step {
        config = config.max_step(Millis::from_ms("max_step", max_step)?);
    }
    if let Some(max_lateness) = max_lateness {
        config = config.max_lateness(Millis::from_ms("max_lateness", max_lateness)?);
    }
    Ok(config)
}

/// Options as `facade/sequences.ts` writes them: three numbers of 8 bytes, NaN for one that is not given.
pub(crate) fn sequences(input: &[u8]) -> Result<SequencesConfig, Error> {
    let mut rest = input;
    let mut number = || -> Result<f64, Error> { Ok(f64::from_le_bytes(chunk(&mut rest)?)) };
    let [width, max_producers, idle] = [number()?, number()?, number()?];
    let mut config = Sequences::with_width(count("width", width, "0 to 65536 numbers")?);
    if !max_producers.is_nan() {
        let accepted = "1 to 2^53-1 producers";
        config = config.max_producers(count("max_producers", max_producers, accepted)?);
    }
    if !idle.is_nan() {
        config = config.idle(Millis::from_ms("idle", idle)?);
    }
    Ok(config)
}

/// The next number of 64 bits.
pub(crate) fn number(rest: &mut &[u8]) -> Result<u64, Error> {
    match part(rest)? {
        Part::Int(value) => Ok(value),
        Part::Bytes(_) => Err(malformed()),
    }
}

/// A number that counts something.
fn count(name: &'static str, value: f64, accepted: &'static str) -> Result<u64, Error> {
    let whole = value as u64;
    if whole as f64 == value {
        Ok(whole)
    } else {
        Err(Error::invalid_config(
            name,
            alloc::format!("{value}"),
            accepted,
        ))
    }
}

/// The age of a duplicate, -2 for `first`, -3 for `late`: as `facade/verdict.ts` reads it.
pub(crate) fn verdict(verdict: Verdict) -> f64 {
    match (verdict.age(), verdict.is_first()) {
        (Some(age), _) => age.0 as f64,
        (None, true) => -2.0,
        (None, false) => -3.0,
    }
}

/// The figures in the order of `facade/stats.ts`, NaN for none.
pub(crate) fn stats(stats: &Stats) -> [f64; 24] {
    let maybe = |value: Option<u64>| value.map_or(f64::NAN, |value| value as f64);
    [
        stats.checked as f64,
        stats.first as f64,
        stats.duplicate as f64,
        stats.probable_duplicate as f64,
        stats.in_flight as f64,
        stats.late as f64,
        stats.rejected as f64,
        stats.expired as f64,
        stats.evicted as f64,
        stats.forgotten as f64,
        stats.leases_expired as f64,
        stats.clock_regressions as f64,
        stats.clock_resets as f64,
        stats.held as f64,
        stats.pending as f64,
        maybe(stats.max_ids),
        stats.memory_bytes as f64,
        stats.window_ms as f64,
        stats.bucket_ms as f64,
        stats.buckets as f64,
        stats.effective_window_ms as f64,
        maybe(stats.oldest_age_ms),
        stats.fill_ratio.unwrap_or(f64::NAN),
        stats.estimated_false_drop_rate,
    ]
}
