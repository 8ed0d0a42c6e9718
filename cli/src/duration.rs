//! Durations as people write them: `10m`, `500ms`, `1h30m`.

use firstseen::Millis;

/// Largest first, which is also the order in which they are to be written.
const UNITS: [(&str, u64); 6] = [
    ("w", 7 * 86_400_000),
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1_000),
    ("ms", 1),
];

const ACCEPTED: &str = "accepted: whole numbers with units from w, d, h, m, s, ms, largest first, such as `10m`, `500ms` or `1h30m`";

/// Reads a duration. A bare number is refused, since nobody can tell whether it means seconds or milliseconds.
pub(crate) fn parse(text: &str) -> Result<Millis, String> {
    let mut rest = text;
    let mut total = 0_u64;
    let mut units = UNITS.iter();
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, after) = rest.split_at(digits);
        let letters = after.len()
            - after
                .trim_start_matches(|c: char| c.is_ascii_alphabetic())
                .len();
        let (unit, after) = after.split_at(letters);
        if !number.is_empty() && unit.is_empty() && after.is_empty() {
            return Err(format!(
                "`{number}` has no unit; write `{number}s` or `{number}ms`; {ACCEPTED}"
            ));
        }
        let factor = units.find(|(name, _)| *name == unit);
        let (Ok(number), Some((_, factor))) = (number.parse::<u64>(), factor) else {
            return Err(ACCEPTED.to_owned());
        };
        total = number
            .checked_mul(*factor)
            .and_then(|more| total.checked_add(more))
            .filter(|total| *total <= Millis::MAX.0)
            .ok_or("accepted: at most 2^53-1 ms")?;
        rest = after;
    }
    if text.is_empty() {
        return Err(ACCEPTED.to_owned());
    }
    Ok(Millis(total))
}

/// Writes a duration so that [`parse`] reads the same.
pub(crate) fn format(duration: u64) -> String {
    let mut rest = duration;
    let mut text = String::new();
    // Weeks are for writing only: `10d` says more than `1w3d`.
    for (name, factor) in UNITS.iter().skip(1) {
        if rest >= *factor {
            text.push_str(&format!("{}{name}", rest / factor));
            rest %= factor;
        }
    }
    if text.is_empty() {
        text.push_str("0s");
    }
    text
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_written_alike() {
        for (text, ms) in [
            ("10m", 600_000),
            ("60s", 60_000),
            ("500ms", 500),
            ("2h", 7_200_000),
            ("1d", 86_400_000),
            ("2w", 1_209_600_000),
            ("1h30m", 5_400_000),
            ("1m500ms", 60_500),
            ("0s", 0),
        ] {
            assert_eq!(parse(text).unwrap(), Millis(ms), "{text}");
            assert_eq!(parse(&format(ms)).unwrap(), Millis(ms), "{text}");
        }
        assert_eq!(format(86_400_000 + 61_001), "1d1m1s1ms");
        assert_eq!(format(0), "0s");
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in [
            "",
            "10",
            "0",
            "m",
            "10x",
            "10m10m",
            "30m1h",
            "-10m",
            "1.5h",
            "10 m",
            "10m ",
            "1h30",
            "99999999999w",
            "٣m",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse("10").unwrap_err().contains("`10s`"));
    }
}
