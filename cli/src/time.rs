//! An event's own time: RFC 3339, or Unix time as a number or a numeric text.

use firstseen::{Error, Millis};

use crate::failure::Bad;

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Unit {
    /// By magnitude: seconds below 1e11 (the year 5138), milliseconds below 1e14 (from 1973 on), else refused
    Auto,
    /// Seconds
    S,
    /// Milliseconds
    Ms,
    /// Microseconds
    Us,
    /// Nanoseconds
    Ns,
}

/// As milliseconds 1973-03-03, as seconds the year 5138.
const MS_FROM: u64 = 100_000_000_000;
/// As microseconds 1973-03-03, as milliseconds the year 5138.
const US_FROM: u64 = 1000 * MS_FROM;

impl Unit {
    /// The unit of a number of this magnitude.
    fn of(self, magnitude: f64) -> Result<Self, Bad> {
        match self {
            Self::Auto if magnitude < MS_FROM as f64 => Ok(Self::S),
            Self::Auto if magnitude < US_FROM as f64 => Ok(Self::Ms),
            Self::Auto => Err(Bad::new(
                "invalid_time",
                format!("the time is `{magnitude}`; accepted: Unix seconds or milliseconds, or say `--time-unit us` or `ns`"),
            )),
            unit => Ok(unit),
        }
    }

    pub(crate) fn integer(self, value: u64) -> Result<Millis, Bad> {
        let ms = match self.of(value as f64)? {
            Self::S => value.saturating_mul(1000),
            Self::Us => rounded(value, 1000),
            Self::Ns => rounded(value, 1_000_000),
            Self::Ms | Self::Auto => value,
        };
        if ms > Millis::MAX.0 {
            return Err(Error::invalid_time("time", value.to_string()).into());
        }
        Ok(Millis(ms))
    }

    pub(crate) fn float(self, value: f64) -> Result<Millis, Bad> {
        Ok(match self.of(value)? {
            Self::S => Millis::from_secs("time", value),
            Self::Us => Millis::from_ms("time", value / 1e3),
            Self::Ns => Millis::from_ms("time", value / 1e6),
            Self::Ms | Self::Auto => Millis::from_ms("time", value),
        }?)
    }

    pub(crate) fn text(self, text: &[u8]) -> Result<Millis, Bad> {
        let Ok(text) = std::str::from_utf8(text) else {
            return Err(unreadable(text.len()));
        };
        // The fifth byte tells: a dash after a year.
        if text.as_bytes().get(4) == Some(&b'-') {
            return timestamp(text);
        }
        let plain = |byte: u8| byte.is_ascii_digit() || byte == b'.';
        if text.is_empty() || !text.bytes().all(plain) {
            return Err(unreadable(text.len()));
        }
        match (text.parse::<u64>(), text.parse::<f64>()) {
            (Ok(value), _) => self.integer(value),
            (_, Ok(value)) => self.float(value),
            _ => Err(unreadable(text.len())),
        }
    }
}

fn rounded(value: u64, divisor: u64) -> u64 {
    value / divisor + u64::from(value % divisor >= divisor / 2)
}

fn timestamp(text: &str) -> Result<Millis, Bad> {
    let Ok(time) = text.parse::<jiff::Timestamp>() else {
        // Well-formed, but too late: a day is left free at the end, so that every offset can be applied.
        let pieces = jiff::fmt::temporal::Pieces::parse(text);
        if pieces.is_ok_and(|pieces| pieces.time().is_some() && pieces.offset().is_some()) {
            let latest = jiff::Timestamp::from_second(jiff::Timestamp::MAX.as_second());
            return Err(Bad::new(
                "invalid_time",
                format!(
                    "the time is out of range; accepted: 1970-01-01T00:00:00Z to {}",
                    latest.unwrap_or(jiff::Timestamp::MAX)
                ),
            ));
        }
        return Err(unreadable(text.len()));
    };
    let ms = (time.as_nanosecond() + 500_000).div_euclid(1_000_000);
    // Before 1970, though by less than half a millisecond.
    match (time.as_nanosecond() >= 0, u64::try_from(ms)) {
        (true, Ok(ms)) => Ok(Millis(ms)),
        _ => Err(Error::invalid_time("time", "before 1970").into()),
    }
}

fn unreadable(length: usize) -> Bad {
    Bad::new(
        "invalid_time",
        format!(
            "the time is a text of {length} bytes; accepted: RFC 3339 with `Z` or an offset, such as \
             `2026-01-31T08:00:00.250Z`, or Unix time as a number"
        ),
    )
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn text(text: &str) -> u64 {
        Unit::Auto.text(text.as_bytes()).unwrap().0
    }

    #[test]
    fn texts_are_timestamps_or_numbers() {
        assert_eq!(text("2023-11-14T22:13:20Z"), 1_700_000_000_000);
        assert_eq!(text("2023-11-14t22:13:20.25z"), 1_700_000_000_250);
        assert_eq!(text("2023-11-15T00:13:20.0005+02:00"), 1_700_000_000_001);
        assert_eq!(text("2023-11-14T22:13:20.000499-00:00"), 1_700_000_000_000);
        assert_eq!(text("1970-01-01T00:00:00Z"), 0);
        assert_eq!(text("1700000000"), 1_700_000_000_000);
        assert_eq!(text("1700000000123"), 1_700_000_000_123);
        assert_eq!(text("1700000000.1235"), 1_700_000_000_124);
        assert_eq!(text("0"), 0);
    }

    #[test]
    fn texts_that_are_no_time_are_refused() {
        for wrong in [
            "",
            ".",
            "abc",
            "-1",
            "+1",
            "1e9",
            "NaN",
            "inf",
            "2023-11-14",
            "2023-11-14T22:13:20",
            "2023-13-14T22:13:20Z",
            "1969-12-31T23:59:59.9999Z",
            "1700000000000000",
            "17000000000000000000000",
            "1 ",
            " 1",
        ] {
            let bad = Unit::Auto.text(wrong.as_bytes()).unwrap_err();
            assert_eq!(bad.code, "invalid_time", "{wrong}");
        }
        assert!(Unit::Auto.text(b"\xff").is_err());
    }

    #[test]
    fn a_time_out_of_range_is_told_from_a_text_that_is_none() {
        let message = |text: &str| Unit::Auto.text(text.as_bytes()).unwrap_err().message;
        for out in ["9999-12-31T23:59:59Z", "9999-12-31T00:00:00.5+01:00"] {
            assert_eq!(
                message(out),
                "the time is out of range; accepted: 1970-01-01T00:00:00Z to 9999-12-30T22:00:00Z"
            );
        }
        assert_eq!(text("9999-12-30T22:00:00Z"), 253_402_207_200_000);
        for wrong in ["9999-12-31T23:59:59", "9999-12-31", "9999-13-31T23:59:59Z"] {
            assert!(
                message(wrong).starts_with("the time is a text of "),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_unit_that_is_said_is_taken() {
        assert_eq!(
            Unit::Auto.integer(99_999_999_999).unwrap().0,
            99_999_999_999_000
        );
        assert_eq!(
            Unit::Auto.integer(100_000_000_000).unwrap().0,
            100_000_000_000
        );
        assert_eq!(Unit::Ms.integer(5).unwrap().0, 5);
        assert_eq!(Unit::S.integer(5).unwrap().0, 5000);
        assert_eq!(Unit::Us.integer(1_499).unwrap().0, 1);
        assert_eq!(Unit::Us.integer(1_500).unwrap().0, 2);
        assert_eq!(
            Unit::Ns.integer(1_700_000_000_000_500_000).unwrap().0,
            1_700_000_000_001
        );
        assert_eq!(Unit::Ms.float(0.5).unwrap().0, 1);
        assert_eq!(Unit::Us.float(1_500.0).unwrap().0, 2);
        assert!(Unit::S.integer(u64::MAX).is_err());
        assert!(Unit::Ms.integer(1 << 53).is_err());
        assert!(Unit::Ms.float(-0.1).is_err());
        assert!(Unit::S.float(f64::NAN).is_err());
    }
}
