//! From the facade's bytes and numbers to ids, times and options; from verdicts and figures to numbers.

use alloc::vec::Vec;
use core::str::FromStr;

use crate::batch;
use firstseen::{
    AnyConfig, AnySize, Error, Fingerprint, Fingerprinter, Id, Load, Millis, Now, OnFull, Part,
    Secret, Sequences, SequencesConfig, Span, Stats, Verdict,
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

/// An event's own time; NaN is none.
pub(crate) fn at(at: f64) -> Result<Option<Millis>, Error> {
    match at.is_nan() {
        true => Ok(None),
        false => Millis::from_ms("at", at).map(Some),
    }
}

/// Options as `facade/options.ts` writes them: eleven numbers of 8 bytes, then the secret and the policy. The first number
/// says by its bits which of the others are given, and which memory is wanted.
pub(crate) fn config(input: &[u8]) -> Result<AnyConfig, Error> {
    let mut rest = input;
    let given = f64::from_le_bytes(chunk(&mut rest)?) as u32;
    let has = |bit: u32| given & 1 << bit != 0;
    let mut number = |bit: u32| -> Result<Option<f64>, Error> {
        let value = f64::from_le_bytes(chunk(&mut rest)?);
        Ok(has(bit).then_some(value))
    };
    let [window, bucket, buckets, max_ids] = [number(0)?, number(1)?, number(2)?, number(3)?];
    let [max_step, max_lateness, secret] = [number(4)?, number(5)?, number(6)?];
    let [_, expected_ids, false_drop_rate] = [number(7)?, number(8)?, number(9)?];
    let (secret, policy) = rest
        .split_at_checked(secret.unwrap_or(0.0) as usize)
        .ok_or_else(malformed)?;

    let span = match (window, buckets) {
        (Some(window), _) => Span::Window {
            window: Millis::from_ms("window", window)?,
            bucket: bucket
                .map(|bucket| Millis::from_ms("bucket", bucket))
                .transpose()?,
        },
        (None, buckets) => Span::Buckets {
            bucket: Millis::from_ms("bucket", bucket.unwrap_or(f64::NAN))?,
            buckets: count("buckets", buckets.unwrap_or(f64::NAN), "2 to 250 buckets")?,
        },
    };
    let load = || -> Result<Load, Error> {
        let accepted = "from 1 to as many ids as fit 2^32 lines of 64 bytes at this rate";
        let ids = count("expected_ids", expected_ids.unwrap_or(f64::NAN), accepted)?;
        Ok(Load::new(ids, false_drop_rate.unwrap_or(f64::NAN)))
    };
    let size = match (has(BLOOM), has(CUCKOO)) {
        (true, _) => AnySize::Bloom(load()?),
        (_, true) => AnySize::Cuckoo(load()?),
        _ => AnySize::Exact {
            max_ids: max_ids
                .map(|max_ids| count("max_ids", max_ids, "1 to 2^53-1 ids"))
                .transpose()?,
            detect_conflicts: has(CONFLICTS),
        },
    };
    let mut config = AnyConfig::new(span, size);
    if has(7) {
        config.on_full = Some(OnFull::from_str(
            core::str::from_utf8(policy).unwrap_or("?"),
        )?);
    }
    if has(6) {
        config.secret = Secret::try_from(secret)?;
    }
    if let Some(max_step) = max_step {
        config.max_step = Some(Millis::from_ms("max_step", max_step)?);
    }
    if let Some(max_lateness) = max_lateness {
        config.max_lateness = Some(Millis::from_ms("max_lateness", max_lateness)?);
    }
    Ok(config)
}

/// Bits of the first number that stand for themselves.
const BLOOM: u32 = 10;
const CUCKOO: u32 = 11;
const CONFLICTS: u32 = 12;

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
pub(crate) fn count(name: &'static str, value: f64, accepted: &'static str) -> Result<u64, Error> {
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

/// As `facade/verdict.ts` reads it: the age of a duplicate; half less than its negative for a conflict; -2 for `first`, -3 for `late`, -4 for
/// `probable_duplicate`; ten less than the negative of the lease left for what is in flight.
pub(crate) fn verdict(verdict: Verdict) -> f64 {
    match verdict {
        Verdict::First => -2.0,
        Verdict::Late => -3.0,
        Verdict::ProbableDuplicate => -4.0,
        Verdict::InFlight { lease_left } => -10.0 - lease_left.0 as f64,
        Verdict::Conflict { age } => -0.5 - age.0 as f64,
        other => other.age().map_or(-3.0, |age| age.0 as f64),
    }
}

/// How many figures a window has.
pub(crate) const WINDOW_FIGURES: usize = 25;

/// The figures in the order of `facade/stats.ts`, NaN for none.
pub(crate) fn stats(stats: &Stats) -> [f64; WINDOW_FIGURES] {
    let maybe = |value: Option<u64>| value.map_or(f64::NAN, |value| value as f64);
    [
        stats.checked as f64,
        stats.first as f64,
        stats.duplicate as f64,
        stats.conflict as f64,
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
