//! The canonical form beside naive twins: a tree that is sorted and written anew, and numbers by `ryu-js` and the standard library.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use alloc::{format, vec};

use serde_json::Value;

use super::number::{self, Unfit};
use super::reader;
use super::select::Select;
use crate::error::Error;

fn selected(text: &str, ignore: Option<&[&str]>, only: Option<&[&str]>) -> Result<String, Error> {
    let pieces = reader::read(text.as_bytes(), Select::new(ignore, only)?)?;
    let mut bytes = Vec::new();
    pieces.read(&mut |piece| bytes.extend_from_slice(piece));
    let text = String::from_utf8(bytes).unwrap();
    Ok(if pieces.is_empty { String::new() } else { text })
}

fn canonical(text: &str) -> Result<String, Error> {
    selected(text, None, None)
}

fn number(literal: &str) -> Result<String, Unfit> {
    let mut out = number::Written::default();
    number::write(literal.as_bytes(), &mut out)?;
    Ok(String::from_utf8(out.bytes().to_vec()).unwrap())
}

/// A small generator; the same numbers in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ value >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// The numbers of RFC 8785, appendix B.
const NUMBERS: [(u64, &str); 24] = [
    (0x0000_0000_0000_0000, "0"),
    (0x8000_0000_0000_0000, "0"),
    (0x0000_0000_0000_0001, "5e-324"),
    (0x8000_0000_0000_0001, "-5e-324"),
    (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
    (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
    (0x4340_0000_0000_0000, "9007199254740992"),
    (0xc340_0000_0000_0000, "-9007199254740992"),
    (0x4430_0000_0000_0000, "295147905179352830000"),
    (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
    (0x44b5_2d02_c7e1_4af6, "1e+23"),
    (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
    (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
    (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
    (0x444b_1ae4_d6e2_ef50, "1e+21"),
    (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
    (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
    (0x41b3_de43_5555_5553, "333333333.3333332"),
    (0x41b3_de43_5555_5554, "333333333.33333325"),
    (0x41b3_de43_5555_5555, "333333333.3333333"),
    (0x41b3_de43_5555_5556, "333333333.3333334"),
    (0x41b3_de43_5555_5557, "333333333.33333343"),
    (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
    (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
];

#[test]
fn the_numbers_of_the_rfc_are_written_as_it_says() {
    for (bits, wanted) in NUMBERS {
        let double = f64::from_bits(bits);
        // All digits of the double, and the fewest that round to it.
        for literal in [format!("{double:.1100}"), format!("{double:e}")] {
            assert_eq!(number(&literal).as_deref(), Ok(wanted), "{literal}");
        }
    }
}

/// What the twins make of a literal.
fn twin(literal: &str) -> Result<String, Unfit> {
    let double: f64 = literal.parse().unwrap();
    if double.is_infinite() {
        return Err(Unfit::Range);
    }
    let digits = literal.strip_prefix('-').unwrap_or(literal);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) && format!("{:.0}", double.abs()) != digits
    {
        return Err(Unfit::Integer);
    }
    Ok(ryu_js::Buffer::new().format(double).to_string())
}

fn agree(literal: &str) {
    assert_eq!(number(literal), twin(literal), "{literal}");
}

#[test]
fn random_doubles_are_read_and_written_as_by_the_twins() {
    let mut random = Random(1);
    for _ in 0..60_000 {
        let double = f64::from_bits(random.next());
        if !double.is_finite() {
            continue;
        }
        agree(&format!("{double:e}"));
        agree(&format!("{double:.16e}"));
        agree(&format!("{double:.15e}"));
        agree(&format!("{:.*e}", 17 + random.below(30), double));
    }
}

#[test]
fn random_literals_are_read_and_written_as_by_the_twins() {
    let mut random = Random(2);
    for _ in 0..100_000 {
        let mut literal = String::new();
        if random.below(3) == 0 {
            literal.push('-');
        }
        let digits = |random: &mut Random, most: usize, literal: &mut String| {
            for _ in 0..=random.below(most) {
                let digit = random.below(14).saturating_sub(4);
                literal.push(char::from(b'0' + digit as u8));
            }
        };
        if random.below(4) == 0 {
            literal.push('0');
        } else {
            literal.push(char::from(b'1' + random.below(9) as u8));
            let most = [3, 19, 25, 320][random.below(4)];
            digits(&mut random, most, &mut literal);
        }
        if random.below(3) > 0 {
            literal.push('.');
            let most = [3, 19, 40, 340][random.below(4)];
            digits(&mut random, most, &mut literal);
        }
        if random.below(3) == 0 {
            let most = [5, 30, 340][random.below(3)];
            let sign = ["", "+", "-"][random.below(3)];
            literal.push_str(&format!("e{sign}{}", random.below(most)));
        }
        agree(&literal);
    }
}

#[test]
fn what_lies_half_way_between_two_doubles_goes_to_the_even_one() {
    let mut random = Random(3);
    for round in 0..4_000 {
        let exponent = if round % 2 == 0 {
            random.below(3) as u64
        } else {
            random.next() % 2046
        };
        let bits = exponent << 52 | random.next() >> 12;
        let (one, next) = (f64::from_bits(bits), f64::from_bits(bits + 1));
        // All digits of the middle: those of the two, halved by hand.
        let (one, next) = (format!("{one:.1100}"), format!("{next:.1100}"));
        let middle = halved_sum(&one, &next);
        agree(&middle);
        agree(&format!("{middle}1"));
        agree(&format!("{}1e-3", middle.replace('.', "000.")));
        agree(&format!("{middle}{}1", "0".repeat(2_000)));
    }
}

/// Half of the sum of two decimals with as many digits behind the point.
fn halved_sum(one: &str, other: &str) -> String {
    let width = one.len().max(other.len());
    let padded = |text: &str| format!("{text:0>width$}");
    let mut sum = Vec::new();
    let mut carry = 0;
    for (one, other) in padded(one)
        .bytes()
        .zip(padded(other).bytes())
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
    {
        if one == b'.' {
            sum.push(b'.');
            continue;
        }
        let digit = (one - b'0') + (other - b'0') + carry;
        sum.push(b'0' + digit % 10);
        carry = digit / 10;
    }
    sum.push(b'0' + carry);
    let mut half = String::new();
    let mut rest = 0;
    for digit in sum.into_iter().rev() {
        if digit == b'.' {
            half.push('.');
            continue;
        }
        let value = rest * 10 + (digit - b'0');
        half.push(char::from(b'0' + value / 2));
        rest = value % 2;
    }
    half.push(char::from(b'0' + rest * 5));
    let trimmed = half.trim_start_matches('0');
    if trimmed.starts_with('.') {
        format!("0{trimmed}")
    } else {
        trimmed.into()
    }
}

#[test]
fn powers_of_two_and_ten_and_their_neighbours_are_as_by_the_twins() {
    for exponent in 0..=2045_u64 {
        for bits in [
            exponent << 52,
            (exponent << 52) + 1,
            ((exponent + 1) << 52) - 1,
        ] {
            let double = f64::from_bits(bits);
            agree(&format!("{double:e}"));
            agree(&format!("{double:.1100}"));
            agree(&format!("{double:.0}"));
        }
    }
    for power in -345..=311 {
        for mantissa in [
            "1",
            "9.999999999999999",
            "1.0000000000000001",
            "2.4703282292062328",
            "4.9406564584124654",
        ] {
            agree(&format!("{mantissa}e{power}"));
        }
    }
    for power in 0..320 {
        agree(&format!("1{}", "0".repeat(power)));
        agree(&format!("1{}1", "0".repeat(power)));
        agree(&format!("0.{}1", "0".repeat(power)));
    }
    for integer in (1_u64 << 53) - 40..(1 << 53) + 40 {
        agree(&integer.to_string());
    }
}

#[test]
fn exponents_without_measure_are_out_of_range_or_zero() {
    let many = "9".repeat(5_000);
    assert_eq!(number(&format!("1e{many}")), Err(Unfit::Range));
    assert_eq!(number(&format!("1e-{many}")).as_deref(), Ok("0"));
    assert_eq!(number(&format!("0e{many}")).as_deref(), Ok("0"));
    let zeros = "0".repeat(5_000);
    assert_eq!(number(&format!("0.{zeros}25e5000")).as_deref(), Ok("0.25"));
    assert_eq!(number(&format!("25{zeros}e-5001")).as_deref(), Ok("2.5"));
    assert_eq!(number(&format!("25{zeros}")), Err(Unfit::Range));
}

/// A value in canonical form, by a tree.
fn written(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| name.encode_utf16().collect::<Vec<_>>());
            let members = members.iter().map(|(name, value)| {
                format!(
                    "{}:{}",
                    serde_json::to_string(name).unwrap(),
                    written(value)
                )
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(elements) => {
            format!(
                "[{}]",
                elements.iter().map(written).collect::<Vec<_>>().join(",")
            )
        }
        Value::Number(number) => ryu_js::Buffer::new()
            .format(number.as_f64().unwrap())
            .to_string(),
        other => other.to_string(),
    }
}

const CHARS: [char; 22] = [
    'a',
    'b',
    '~',
    '/',
    '0',
    '1',
    '"',
    '\\',
    '\u{0}',
    '\u{8}',
    '\t',
    '\n',
    '\u{c}',
    '\r',
    '\u{1f}',
    '\u{7f}',
    '\u{e9}',
    '\u{20ac}',
    '\u{d7ff}',
    '\u{e000}',
    '\u{ffff}',
    '\u{1f600}',
];

fn random_text(random: &mut Random) -> String {
    let length = random.below(4);
    (0..length)
        .map(|_| CHARS[random.below(CHARS.len())])
        .collect()
}

fn random_value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 5 } else { 9 }) {
        0 => Value::Null,
        1 => Value::Bool(random.below(2) == 0),
        2 => Value::from(random.below(1_000_000) as f64 / 64.0),
        3 => Value::from(random.next() as i32),
        4 => Value::String(random_text(random)),
        5 | 6 => (0..random.below(5))
            .map(|_| random_value(random, depth - 1))
            .collect(),
        _ => Value::Object(
            (0..random.below(6))
                .map(|_| (random_text(random), random_value(random, depth - 1)))
                .collect(),
        ),
    }
}

/// Another text of the same value: its members in any order, with white space, escapes and other ways to write numbers.
fn disguised(random: &mut Random, value: &Value, out: &mut String) {
    let space = |random: &mut Random, out: &mut String| {
        out.push_str(["", "", " ", "\n\t", "\r "][random.below(5)]);
    };
    space(random, out);
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            for index in (1..members.len()).rev() {
                members.swap(index, random.below(index + 1));
            }
            out.push('{');
            for (index, (name, value)) in members.into_iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                space(random, out);
                disguised_text(random, name, out);
                space(random, out);
                out.push(':');
                disguised(random, value, out);
            }
            space(random, out);
            out.push('}');
        }
        Value::Array(elements) => {
            out.push('[');
            for (index, value) in elements.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                disguised(random, value, out);
            }
            space(random, out);
            out.push(']');
        }
        Value::Number(number) => {
            let double = number.as_f64().unwrap();
            out.push_str(&match random.below(5) {
                0 => format!("{double:e}"),
                1 => format!("{double:E}"),
                2 => format!("{double:.30}"),
                3 => {
                    let text = format!("{double:e}");
                    let (mantissa, exponent) = text.split_once('e').unwrap();
                    let point = if mantissa.contains('.') { "" } else { "." };
                    let exponent: i32 = exponent.parse().unwrap();
                    let sign = if exponent < 0 { '-' } else { '+' };
                    format!("{mantissa}{point}00E{sign}00{}", exponent.abs())
                }
                _ => double.to_string(),
            });
        }
        Value::String(text) => disguised_text(random, text, out),
        other => out.push_str(&other.to_string()),
    }
    space(random, out);
}

fn disguised_text(random: &mut Random, text: &str, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        let short = match char {
            '"' => Some("\\\""),
            '\\' => Some("\\\\"),
            '/' => Some("\\/"),
            '\u{8}' => Some("\\b"),
            '\u{c}' => Some("\\f"),
            '\n' => Some("\\n"),
            '\r' => Some("\\r"),
            '\t' => Some("\\t"),
            _ => None,
        };
        let must = char < ' ' || char == '"' || char == '\\';
        match (short, random.below(3)) {
            (Some(short), 0 | 1) => out.push_str(short),
            (_, 1) if !must => out.push(char),
            (_, 2) => char
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| out.push_str(&format!("\\u{unit:04X}"))),
            _ => char
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    out.push('"');
}

#[test]
fn a_value_has_one_canonical_form_however_it_is_written() {
    let mut random = Random(4);
    for _ in 0..20_000 {
        let value = random_value(&mut random, 4);
        let wanted = written(&value);
        for _ in 0..3 {
            let mut text = String::new();
            disguised(&mut random, &value, &mut text);
            assert_eq!(canonical(&text).as_deref(), Ok(wanted.as_str()), "{text}");
        }
        assert_eq!(canonical(&wanted).as_deref(), Ok(wanted.as_str()));
    }
}

/// A value without what a pointer names.
fn without(value: &mut Value, tokens: &[String]) {
    let [token, rest @ ..] = tokens else { return };
    match value {
        Value::Object(members) if rest.is_empty() => {
            members.remove(token);
        }
        Value::Object(members) => {
            members
                .get_mut(token)
                .into_iter()
                .for_each(|value| without(value, rest));
        }
        Value::Array(elements) => {
            let index = token.parse().unwrap_or(usize::MAX);
            if index < elements.len() && index.to_string() == *token {
                if rest.is_empty() {
                    // Marked, since what follows must keep its index for the other pointers.
                    elements[index] = Value::String("left out".into());
                } else {
                    without(&mut elements[index], rest);
                }
            }
        }
        _ => {}
    }
}

/// A value's elements without those that are marked.
fn unmarked(value: &mut Value) {
    match value {
        Value::Array(elements) => {
            elements.retain(|element| element != "left out");
            elements.iter_mut().for_each(unmarked);
        }
        Value::Object(members) => members.values_mut().for_each(unmarked),
        _ => {}
    }
}

/// What pointers name of a value, and what it lies in; none if that is nothing.
fn only(value: &Value, pointers: &[Vec<String>]) -> Option<Value> {
    if pointers.iter().any(Vec::is_empty) {
        return Some(value.clone());
    }
    let inside = |name: &str| -> Vec<Vec<String>> {
        let matching = pointers.iter().filter(|tokens| tokens[0] == name);
        matching.map(|tokens| tokens[1..].to_vec()).collect()
    };
    let kept = match value {
        Value::Object(members) => Value::Object(
            members
                .iter()
                .filter_map(|(name, value)| Some((name.clone(), only(value, &inside(name))?)))
                .collect(),
        ),
        Value::Array(elements) => elements
            .iter()
            .enumerate()
            .filter_map(|(index, value)| only(value, &inside(&index.to_string())))
            .collect(),
        _ => return None,
    };
    let something = kept.as_array().is_some_and(|elements| !elements.is_empty())
        || kept.as_object().is_some_and(|members| !members.is_empty());
    something.then_some(kept)
}

#[test]
fn pointers_select_as_a_tree_would() {
    let mut random = Random(5);
    for round in 0..40_000 {
        let value = random_value(&mut random, 3);
        let pointers: Vec<Vec<String>> = (0..=random.below(3))
            .map(|_| random_pointer(&mut random, &value))
            .filter(|tokens| !tokens.is_empty())
            .collect();
        if pointers.is_empty() {
            continue;
        }
        let texts: Vec<String> = pointers
            .iter()
            .map(|tokens| {
                tokens
                    .iter()
                    .map(|token| format!("/{}", token.replace('~', "~0").replace('/', "~1")))
                    .collect()
            })
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut text = String::new();
        disguised(&mut random, &value, &mut text);
        let (got, wanted) = if round % 2 == 0 {
            let mut left = value.clone();
            pointers
                .iter()
                .for_each(|tokens| without(&mut left, tokens));
            unmarked(&mut left);
            let emptied = left != value && matches!(written(&left).as_str(), "{}" | "[]");
            let wanted = if emptied {
                String::new()
            } else {
                written(&left)
            };
            (selected(&text, Some(&texts), None), wanted)
        } else {
            let kept = only(&value, &pointers);
            (
                selected(&text, None, Some(&texts)),
                kept.as_ref().map(written).unwrap_or_default(),
            )
        };
        assert_eq!(got, Ok(wanted), "{text} {texts:?}");
    }
}

/// The way to somewhere in a value, or a step beyond it.
fn random_pointer(random: &mut Random, value: &Value) -> Vec<String> {
    let (token, inside) = match value {
        Value::Object(members) if !members.is_empty() => {
            let (name, value) = members.iter().nth(random.below(members.len())).unwrap();
            (name.clone(), value)
        }
        Value::Array(elements) if !elements.is_empty() => {
            let index = random.below(elements.len());
            (index.to_string(), &elements[index])
        }
        _ if random.below(4) == 0 => return vec![random_text(random)],
        _ => return vec![],
    };
    let mut tokens = vec![token];
    if random.below(3) > 0 {
        tokens.extend(random_pointer(random, inside));
    }
    tokens
}

const DAMAGE: &[u8] = b"\"\\,:[]{}0-e.u dD\xed";

/// Bytes of a text are changed, and both readers asked. Ours refuses more, and says why.
#[test]
fn another_reader_takes_what_is_taken() {
    let mut random = Random(6);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..60_000 {
        let value = random_value(&mut random, 3);
        let mut text = String::new();
        disguised(&mut random, &value, &mut text);
        let mut bytes = text.into_bytes();
        for _ in 0..=random.below(2) {
            let place = random.below(bytes.len());
            match random.below(3) {
                0 => drop(bytes.remove(place)),
                1 => bytes.insert(place, DAMAGE[random.below(DAMAGE.len())]),
                _ => bytes[place] = DAMAGE[random.below(DAMAGE.len())],
            }
            if bytes.is_empty() {
                bytes.push(b' ');
            }
        }
        super::check(&bytes);
        let theirs = serde_json::from_slice::<Value>(&bytes);
        match (reader::read(&bytes, Select::all()), theirs) {
            (Ok(_), theirs) => {
                taken += 1;
                assert!(theirs.is_ok(), "{}", String::from_utf8_lossy(&bytes));
            }
            (Err(Error::InvalidJson { found, .. }), Ok(_)) => {
                refused += 1;
                let ambiguous = [
                    "a second member of the same name",
                    "an integer that no double has",
                ];
                let text = String::from_utf8_lossy(&bytes);
                assert!(ambiguous.contains(&found.as_ref()), "{found}: {text}");
            }
            (Err(_), Err(_)) => {}
            (Err(other), Ok(_)) => panic!("{other}"),
        }
    }
    assert!(
        taken > 5_000 && refused > 20,
        "{taken} taken, {refused} refused"
    );
}

/// What is refused, and at which byte.
#[test]
fn what_is_no_json_or_ambiguous_is_refused_where_it_is() {
    let cases: &[(&[u8], &str, usize)] = &[
        (b"", "its end too early", 0),
        (b" \n", "its end too early", 2),
        (b"{", "its end too early", 1),
        (b"[1", "its end too early", 2),
        (b"[1,", "its end too early", 3),
        (b"\"a", "its end too early", 2),
        (b"{\"a\"", "its end too early", 4),
        (b"-", "its end too early", 1),
        (b"1.", "its end too early", 2),
        (b"\"\\", "its end too early", 1),
        (b"[1,]", "an unexpected character", 3),
        (b"{\"a\":1,}", "an unexpected character", 7),
        (b"[1 2]", "an unexpected character", 3),
        (b"{a:1}", "an unexpected character", 1),
        (b"{\"a\" 1}", "an unexpected character", 5),
        (b"'a'", "an unexpected character", 0),
        (b"nul", "an unexpected character", 0),
        (b"NaN", "an unexpected character", 0),
        (b"Infinity", "an unexpected character", 0),
        (b"+1", "an unexpected character", 0),
        (b".5", "an unexpected character", 0),
        (b"1.e5", "an unexpected character", 2),
        (b"1e+", "its end too early", 3),
        (b"-a", "an unexpected character", 1),
        (b"/* */ 1", "an unexpected character", 0),
        (b"01", "more than one value", 1),
        (b"1 2", "more than one value", 2),
        (b"{}}", "more than one value", 2),
        (b"1\0", "more than one value", 1),
        (b"\"\x01\"", "a control character in a text", 1),
        (b"\"\n\"", "a control character in a text", 1),
        (b"\"\\x41\"", "an unknown escape", 1),
        (b"\"\\u12g4\"", "an unknown escape", 1),
        (b"\"\\u+123\"", "an unknown escape", 1),
        (b"\"\\u12\"", "an unknown escape", 1),
        (b"\"\\ud83d\"", "a lone surrogate", 1),
        (b"\"a\\ude00\"", "a lone surrogate", 2),
        (b"\"\\ud83d\\u0041\"", "a lone surrogate", 1),
        (b"\"\\ud83d\\ud83d\\ude00\"", "a lone surrogate", 1),
        (b"\"\\ude00\\ud83d\"", "a lone surrogate", 1),
        (b"{\"\\ud83d\":1}", "a lone surrogate", 2),
        (b"[9007199254740993]", "an integer that no double has", 1),
        (b"-9007199254740993", "an integer that no double has", 0),
        (b"[1, 1e400]", "a number beyond the largest double", 4),
        (
            b"{\"a\":1,\"b\":2,\"a\":1}",
            "a second member of the same name",
            13,
        ),
        (
            b"{\"a\":1,\"\\u0061\":2}",
            "a second member of the same name",
            7,
        ),
        (
            b"[{\"\":{\"a\":1,\"a\":1}}]",
            "a second member of the same name",
            12,
        ),
        (b"\xef\xbb\xbf1", "a byte order mark", 0),
        (b"\"\xff\"", "bytes that are no UTF-8", 1),
        (b"\"\xed\xa0\x80\"", "bytes that are no UTF-8", 1),
        (b"\"\xc0\x80\"", "bytes that are no UTF-8", 1),
    ];
    for (text, wanted, byte) in cases {
        let refused = match reader::read(text, Select::all()) {
            Err(Error::InvalidJson {
                found,
                at: Some(at),
            }) => (found.into_owned(), at),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("{} is read", String::from_utf8_lossy(text)),
        };
        assert_eq!(
            refused,
            (wanted.to_string(), *byte),
            "{}",
            String::from_utf8_lossy(text)
        );
    }
}

#[test]
fn what_is_left_out_is_judged_all_the_same() {
    for text in [
        "{\"a\":{\"b\":1,\"b\":1},\"c\":1}",
        "{\"a\":1,\"a\":1,\"c\":1}",
        "{\"a\":1e999,\"c\":1}",
    ] {
        let refused = selected(text, Some(&["/a"]), None).unwrap_err();
        assert_eq!(refused.code(), "invalid_json", "{text}");
        let refused = selected(text, None, Some(&["/c"])).unwrap_err();
        assert_eq!(refused.code(), "invalid_json", "{text}");
    }
}

#[test]
fn depth_is_bounded_and_nothing_else_is() {
    for (opening, closing) in [("[", "]"), ("{\"b\":", "}"), ("{\"b\":1,\"a\":", "}")] {
        let deep = |depth: usize| format!("{}1{}", opening.repeat(depth), closing.repeat(depth));
        canonical(&deep(128)).unwrap();
        assert_eq!(canonical(&deep(129)).unwrap_err().code(), "invalid_json");
        assert_eq!(
            canonical(&opening.repeat(1_000_000)).unwrap_err().code(),
            "invalid_json"
        );
    }
    let wide = format!("[{}1]", "{},[],\"\",".repeat(100_000));
    assert_eq!(canonical(&wide), Ok(wide));
}

/// A text whose members all stand in the wrong order takes the most.
#[test]
fn memory_is_a_small_multiple_of_the_text() {
    let names = (0..60_000).rev().map(|index| format!("\"{index:x}\":0"));
    let members = format!("{{{}}}", names.collect::<Vec<_>>().join(","));
    let numbers = format!("[{}1]", "1e20,".repeat(60_000));
    let pairs = format!("[{}1]", "{\"b\":0,\"a\":0},".repeat(30_000));
    for text in [members, numbers, pairs] {
        let pieces = reader::read(text.as_bytes(), Select::all()).unwrap();
        let most = 10 * text.len();
        let held = pieces.bytes();
        std::println!("{}", held as f64 / text.len() as f64);
        assert!(held < most, "{held} for {}", text.len());
    }
}
