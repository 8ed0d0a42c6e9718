//! Where a column stands, and what is said of a header that lacks it.

/// This many names are shown, and this many characters of each.
const NAMES: usize = 10;
const CHARACTERS: usize = 40;

/// The place that `#1`, `#2`, … stand for.
pub(super) fn numbered(asked: &str) -> Option<usize> {
    asked
        .strip_prefix('#')?
        .parse::<usize>()
        .ok()?
        .checked_sub(1)
}

/// Where a column stands in a header. A name goes before a number that looks like it.
pub(super) fn place(header: &[Vec<u8>], asked: &str) -> Result<usize, String> {
    let mut named = (0..)
        .zip(header)
        .filter(|(_, name)| name.as_slice() == asked.as_bytes());
    match (named.next(), named.next()) {
        (Some((index, _)), None) => return Ok(index),
        (Some((index, _)), Some(_)) => {
            return Err(format!(
                "the header has more than one column `{asked}`; accepted: its number, such as `#{}`",
                index + 1
            ));
        }
        _ => {}
    }
    if let Some(index) = numbered(asked).filter(|index| *index < header.len()) {
        return Ok(index);
    }
    let width = header.len();
    let Some(names) = names(header) else {
        return Err(format!(
            "the first record has no column `{asked}`, and does not look like a header; accepted: a number from `#1` to \
             `#{width}`, with `--no-header` if the first record is an event"
        ));
    };
    Err(format!(
        "the header has no column `{asked}`; accepted: {names}, or a number from `#1` to `#{width}`"
    ))
}

/// The names as they are shown; none if they may be an event's fields, and so an id.
fn names(header: &[Vec<u8>]) -> Option<String> {
    let names: Option<Vec<&str>> = header.iter().map(|field| label(field)).collect();
    let names = names.filter(|names| names.iter().any(|name| !name.is_empty()))?;
    let shown = names.iter().take(NAMES).map(|name| format!("`{name}`"));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    let hidden = names.len().saturating_sub(NAMES);
    if hidden > 0 {
        text.push_str(&format!(" and {hidden} more"));
    }
    Some(text)
}

/// A field that reads like a column's name, with nothing in it to escape: words with few digits, unlike numbers, times,
/// hashes, UUIDs and addresses. It can be empty, as that of a column of row numbers often is.
///
/// A person's name passes: that cannot be told from a column's.
fn label(field: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(field).ok()?;
    let first = text.chars().next().unwrap_or('_');
    let plain =
        |character: char| character.is_alphanumeric() || " _-./()[]:#%&".contains(character);
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let fits = (first.is_alphabetic() || "_#".contains(first))
        && text.chars().all(plain)
        && digits <= 3
        && text.chars().count() <= CHARACTERS
        && !["true", "false", "null"].contains(&text);
    fits.then_some(text)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn missing(header: &[&str]) -> String {
        let header: Vec<Vec<u8>> = header.iter().map(|name| name.as_bytes().to_vec()).collect();
        place(&header, "key").unwrap_err()
    }

    #[test]
    fn names_are_shown_but_not_without_end() {
        let all: Vec<String> = (1..=200).map(|number| format!("column_{number}")).collect();
        let message = missing(&all.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(message.contains("`column_10` and 190 more, or a number from `#1` to `#200`"));
        assert!(!message.contains("column_11"));
        assert!(missing(&["", "ключ", "Price (EUR)"]).contains("``, `ключ`, `Price (EUR)`, or"));
    }

    #[test]
    fn what_may_be_an_event_is_not_shown() {
        for field in [
            "4711",
            "ann@example.com",
            "b6e1f7a0-5d0c-4c58-9a5e-0f4f2f6d3f11",
            "evt_0042",
            "2024-01-01",
            "a\u{1b}[31m",
            "-1",
            "true",
            "",
            &"x".repeat(41),
        ] {
            let message = missing(&[field, field]);
            assert!(message.contains("from `#1` to `#2`, with `--no-header`"));
            assert!(field.is_empty() || !message.contains(field), "{message}");
        }
    }
}
