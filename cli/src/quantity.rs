//! Rates and sizes as people write them: `100k/s`, `6M/h`, `64MiB`.

const RATE: &str = "accepted: a number, k, M or G if need be, and `/` with ms, s, m, h or d, such as `100k/s`, `6M/h` or `0.5/s`";
const SIZE: &str =
    "accepted: a number and a unit from B, kB, MB, GB, TB, KiB, MiB, GiB, TiB, such as `64MiB`";

/// A number without a sign or an exponent, and what comes after it.
fn number(text: &str) -> Option<(f64, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, after) = text.split_at(end);
    let is_plain = number.starts_with(|c: char| c.is_ascii_digit()) && !number.ends_with('.');
    number
        .parse()
        .ok()
        .filter(|_| is_plain)
        .map(|number| (number, after))
}

fn find(units: &[(&str, f64)], name: &str) -> Option<f64> {
    units
        .iter()
        .find(|(unit, _)| *unit == name)
        .map(|(_, factor)| *factor)
}

/// Reads a rate, in events a second. The time may not be left out, since nobody can tell which one is meant.
pub(crate) fn rate(text: &str) -> Result<f64, String> {
    const MANY: [(&str, f64); 4] = [("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9)];
    const SECONDS: [(&str, f64); 4] = [("s", 1.0), ("m", 60.0), ("h", 3_600.0), ("d", 86_400.0)];
    let read = || {
        let (number, after) = number(text)?;
        let (many, per) = after.split_once('/')?;
        let events = number * find(&MANY, many)?;
        if per == "ms" {
            return Some(events * 1e3);
        }
        Some(events / find(&SECONDS, per)?)
    };
    read().ok_or_else(|| RATE.to_owned())
}

/// Reads a size in bytes; a fraction of a byte is left out.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 9] = [
        ("B", 1.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("TiB", 1_099_511_627_776.0),
    ];
    let read = || {
        let (number, unit) = number(text)?;
        // What is beyond 64 bits becomes their greatest, which is refused as a budget.
        Some((number * find(&UNITS, unit)?) as u64)
    };
    read().ok_or_else(|| SIZE.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read() {
        for (text, per_second) in [
            ("100k/s", 100_000.0),
            ("1/s", 1.0),
            ("0.5/s", 0.5),
            ("6M/h", 6e6 / 3600.0),
            ("60/m", 1.0),
            ("86400/d", 1.0),
            ("2.5k/ms", 2_500_000.0),
            ("1G/s", 1e9),
            ("0/s", 0.0),
        ] {
            assert_eq!(rate(text), Ok(per_second), "{text}");
        }
    }

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in [
            ("64MiB", 64 << 20),
            ("1B", 1),
            ("1kB", 1_000),
            ("1KiB", 1_024),
            ("1.5GiB", 3 << 29),
            ("2GB", 2_000_000_000),
            ("1TB", 1_000_000_000_000),
            ("1TiB", 1 << 40),
            ("0B", 0),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_quantity_is_refused() {
        for text in [
            "", "5", "/s", "5/", "5/y", "5 /s", "5x/s", "-5/s", "1e5/s", ".5/s", "5./s", "1.2.3/s",
            "NaN/s", "inf/s", "5K/s", "5/s/s", "٣/s",
        ] {
            assert!(rate(text).is_err(), "{text}");
        }
        for text in [
            "", "5", "MiB", "5mib", "5 MiB", "-5B", "5KB", "1e3B", ".5B", "5.B", "inf B", "5MiB ",
        ] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
