//! Texts within JSON: their escapes, and the order of names.

use alloc::string::String;
use core::cmp::Ordering;
use core::iter;

/// The most bytes that one character takes.
pub(super) const LONGEST: usize = 6;

/// What has an escape of a letter.
const ESCAPES: [(char, char); 7] = [
    ('"', '"'),
    ('\\', '\\'),
    ('b', '\u{8}'),
    ('t', '\t'),
    ('n', '\n'),
    ('f', '\u{c}'),
    ('r', '\r'),
];

/// The character that a text's beginning escapes, and the length of the escape; or what is wrong with it.
pub(super) fn escape(text: &str) -> Result<(char, usize), &'static str> {
    let unknown = "an unknown escape";
    let lone = "a lone surrogate";
    let letter = text.get(1..).and_then(|rest| rest.chars().next());
    let letter = letter.ok_or("its end too early")?;
    if letter == '/' {
        return Ok((letter, 2));
    }
    if let Some((_, char)) = ESCAPES.iter().find(|(name, _)| *name == letter) {
        return Ok((*char, 2));
    }
    let first = unit(text).ok_or(unknown)?;
    if let Some(char) = char::from_u32(first) {
        return Ok((char, 6));
    }
    let second = text.get(6..).and_then(unit).ok_or(lone)?;
    match (first, second) {
        (0xd800..0xdc00, 0xdc00..0xe000) => {
            let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            Ok((char::from_u32(code).ok_or(lone)?, 12))
        }
        _ => Err(lone),
    }
}

/// The UTF-16 unit that a text's beginning escapes by four hexadecimal digits.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits
        .chars()
        .try_fold(0, |value, digit| Some(value * 16 + digit.to_digit(16)?))
}

/// Appends a character as the canonical form has it. `out` should have room for [`LONGEST`] bytes.
pub(super) fn append(char: char, out: &mut String) {
    if let Some((name, _)) = ESCAPES.iter().find(|(_, escaped)| *escaped == char) {
        out.push('\\');
        out.push(*name);
    } else if char < ' ' {
        out.push_str(if char < '\u{10}' { "\\u000" } else { "\\u001" });
        out.extend(char::from_digit(char as u32 % 16, 16));
    } else {
        out.push(char);
    }
}

/// The characters of a text in canonical form, of which the opening quote is cut off, up to the closing one.
pub(super) fn decoded(mut text: &str) -> impl Iterator<Item = char> + '_ {
    iter::from_fn(move || {
        let mut next = text.chars();
        let (char, length) = match next.next()? {
            '"' => return None,
            '\\' => escape(text).ok()?,
            char => (char, char.len_utf8()),
        };
        text = text.get(length..)?;
        Some(char)
    })
}

/// The order of two names by their UTF-16 units, which RFC 8785 wants.
pub(super) fn order(one: &str, other: &str) -> Ordering {
    // That of characters, but that those of two units come before the last of those of one.
    let rank = |char: char| match char as u32 {
        last @ 0xe000..=0xffff => last + 0x20_0000,
        code => code,
    };
    decoded(one).map(rank).cmp(decoded(other).map(rank))
}
