//! Texts within JSON: their escapes, and the order of names.

use core::cmp::Ordering;
use core::iter;

/// What has an escape of a letter.
const ESCAPES: [(u8, u8); 7] = [
    (b'"', b'"'),
    (b'\\', b'\\'),
    (b'b', 8),
    (b't', b'\t'),
    (b'n', b'\n'),
    (b'f', 12),
    (b'r', b'\r'),
];

/// The character that a text's beginning escapes, and the length of the escape; or what is wrong with it.
pub(super) fn escape(text: &[u8]) -> Result<(char, usize), &'static str> {
    let unknown = "an unknown escape";
    let lone = "a lone surrogate";
    let letter = *text.get(1).ok_or("its end too early")?;
    if letter == b'/' {
        return Ok(('/', 2));
    }
    if let Some((_, byte)) = ESCAPES.iter().find(|(name, _)| *name == letter) {
        return Ok(((*byte).into(), 2));
    }
    let first = unit(text).ok_or(unknown)?;
    if let Some(char) = char::from_u32(first) {
        return Ok((char, 6));
    }
    let second = text.get(6..).and_then(unit).unwrap_or(0);
    if first >= 0xdc00 || !(0xdc00..0xe000).contains(&second) {
        return Err(lone);
    }
    let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    Ok((char::from_u32(code).ok_or(lone)?, 12))
}

/// The UTF-16 unit that a text's beginning escapes by four hexadecimal digits.
fn unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    let mut digits = digits.iter().map(|digit| char::from(*digit).to_digit(16));
    digits.try_fold(0, |value, digit| Some(value * 16 + digit?))
}

/// Hands over a character as the canonical form has it.
pub(super) fn write<E>(char: char, put: &mut dyn FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    let short = ESCAPES
        .iter()
        .find(|(_, escaped)| char == char::from(*escaped));
    if let Some((name, _)) = short {
        return put(&[b'\\', *name]);
    }
    if char < ' ' {
        let code = char as u8;
        let low = code % 16;
        let digit = if low < 10 {
            b'0' + low
        } else {
            b'a' + low - 10
        };
        return put(&[b'\\', b'u', b'0', b'0', b'0' + code / 16, digit]);
    }
    put(char.encode_utf8(&mut [0; 4]).as_bytes())
}

/// The bytes of a text in canonical form, from behind its opening quote, up to the closing one. Escaped are ASCII characters only.
pub(super) fn decoded(mut text: &[u8]) -> impl Iterator<Item = u8> + '_ {
    iter::from_fn(move || {
        let (byte, length) = match *text.first()? {
            b'"' => return None,
            b'\\' => {
                let (char, length) = escape(text).ok()?;
                (char as u8, length)
            }
            byte => (byte, 1),
        };
        text = text.get(length..)?;
        Some(byte)
    })
}

/// The order of two names by their UTF-16 units, which RFC 8785 wants.
#[inline(never)]
pub(super) fn order(one: &[u8], other: &[u8]) -> Ordering {
    // That of bytes, but that characters of two units, which begin with F0 and above, come before the last of those of one.
    let rank = |byte: u8| byte + if matches!(byte, 0xee | 0xef) { 16 } else { 0 };
    decoded(one).map(rank).cmp(decoded(other).map(rank))
}
