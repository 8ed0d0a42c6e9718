//! From a number's literal to its canonical form: that in which ECMAScript writes the nearest double.
//!
//! Our own, because most numbers have no use for the tables by which the usual ways are fast: a literal of up to 15 digits
//! is the shortest for its double already. For the others large integers do, and weigh a fraction of the tables.

use core::cmp::Ordering;

use super::big::Big;

/// A decimal half-way between two doubles has at most 767 digits. Of what follows them one digit can stand for all.
const DIGITS: usize = 770;

/// So many digits every double of normal size gives back: no two decimals of that length are the same double.
const SAFE_DIGITS: usize = 15;

/// A number as it is written: at most a sign, `0.00000` and 17 digits.
#[derive(Default)]
pub(super) struct Written {
    bytes: [u8; 28],
    length: usize,
}

impl Written {
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
            self.length += 1;
        }
    }
}

/// The exponent of the least double above zero, and of the largest, whose mantissas are integers of 53 bits.
const LEAST: i32 = -1074;
const LARGEST: i32 = 971;

const HIDDEN: u64 = 1 << 52;

/// Why a number is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    /// It is beyond the largest double.
    Range,
    /// It is an integer's literal, and no double has its value.
    Integer,
}

/// Writes the canonical form of a literal that follows JSON's grammar. Time is linear in its length.
pub(super) fn write(literal: &[u8], out: &mut Written) -> Result<(), Unfit> {
    let (negative, rest) = match literal {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, literal),
    };
    let (mantissa, exponent) = split(rest, |byte| matches!(byte, b'e' | b'E'));
    let (whole, fraction) = split(mantissa, |byte| *byte == b'.');
    let integer = whole.len() == rest.len();

    let mut buffer = [0; DIGITS];
    let (digits, zeros) = significant([whole, fraction], &mut buffer);
    if digits.is_empty() {
        out.push(b'0');
        return Ok(());
    }
    // The value is 0.DIGITS · 10^point.
    let point = (whole.len() as i64 - zeros).saturating_add(parsed(exponent));
    let safe = digits.len() <= SAFE_DIGITS && (-300..=300).contains(&point);
    if safe && (!integer || point <= SAFE_DIGITS as i64) {
        append(negative, digits, point as i32, out);
        return Ok(());
    }
    if point > 309 {
        return Err(Unfit::Range);
    }
    let double = if point < -323 {
        Double::ZERO
    } else {
        Double::nearest(digits, point as i32).ok_or(Unfit::Range)?
    };
    if integer && !double.exact {
        return Err(Unfit::Integer);
    }
    if double.mantissa == 0 {
        out.push(b'0');
        return Ok(());
    }
    let mut shortest = [0; 18];
    let (digits, point) = double.shortest(point as i32, &mut shortest);
    append(negative, digits, point, out);
    Ok(())
}

/// The digits without the zeros around them, as far as they matter, and the number of zeros before them.
fn significant<'a>(all: [&[u8]; 2], buffer: &'a mut [u8; DIGITS]) -> (&'a [u8], i64) {
    let (mut count, mut zeros, mut end) = (0, 0, 0);
    for &digit in all.into_iter().flatten() {
        if count == 0 && digit == b'0' {
            zeros += 1;
            continue;
        }
        let place = count.min(DIGITS - 1);
        if let Some(place) = buffer.get_mut(place) {
            *place = if count < DIGITS {
                digit
            } else {
                digit.max(*place)
            };
        }
        if digit != b'0' {
            end = place + 1;
        }
        count += 1;
    }
    (buffer.get(..end).unwrap_or_default(), zeros)
}

/// What stands before and behind the first byte of a kind; nothing if there is none.
fn split(text: &[u8], is: impl Fn(&u8) -> bool) -> (&[u8], &[u8]) {
    let end = text.iter().position(is).unwrap_or(text.len());
    let behind = text.get(end + 1..).unwrap_or_default();
    (text.get(..end).unwrap_or_default(), behind)
}

/// An exponent with its sign; one that is out of range is still far out of range.
fn parsed(exponent: &[u8]) -> i64 {
    let (negative, digits) = match exponent {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    // Far above any length of a text, and far below what a sum with one could not hold.
    let value = digits.iter().fold(0_i64, |value, digit| {
        (value * 10 + i64::from(digit - b'0')).min(1 << 56)
    });
    if negative {
        -value
    } else {
        value
    }
}

/// A double that is neither negative nor infinite: `mantissa · 2^exponent`.
struct Double {
    mantissa: u64,
    exponent: i32,
    /// It is what was asked for, and not only the nearest to it.
    exact: bool,
}

impl Double {
    const ZERO: Self = Self {
        mantissa: 0,
        exponent: LEAST,
        exact: false,
    };

    /// The double nearest to 0.DIGITS · 10^point, of two the even one; none if that is infinite.
    fn nearest(digits: &[u8], point: i32) -> Option<Self> {
        let mut numerator = Big::of_digits(digits);
        let mut denominator = Big::new(1);
        let power = point - digits.len() as i32;
        let scaled = if power < 0 {
            &mut denominator
        } else {
            &mut numerator
        };
        scaled.multiply_by_ten(power.unsigned_abs());

        // The quotient by 2^low has 55 or 56 bits, or fewer at the lower end: at least two more than are kept.
        let low = (numerator.bits() - denominator.bits() - 55).max(LEAST - 2);
        let scaled = if low < 0 {
            &mut numerator
        } else {
            &mut denominator
        };
        scaled.double(low.unsigned_abs());
        denominator.double(28);
        let high = numerator.divide(&denominator);
        numerator.double(28);
        let quotient = u64::from(high) << 28 | u64::from(numerator.divide(&denominator));

        let bits = 64 - quotient.leading_zeros() as i32;
        let cut = (bits - 53).max(LEAST - low);
        let (half, rest) = (1 << (cut - 1), quotient & ((1 << cut) - 1));
        let mut mantissa = quotient >> cut;
        let beyond_half = !numerator.is_zero() || mantissa % 2 == 1;
        mantissa += u64::from(rest > half || (rest == half && beyond_half));
        let mut exponent = low + cut;
        if mantissa == HIDDEN << 1 {
            mantissa = HIDDEN;
            exponent += 1;
        }
        (exponent <= LARGEST).then_some(Self {
            mantissa,
            exponent,
            exact: rest == 0 && numerator.is_zero(),
        })
    }

    /// The fewest digits that are read back as this double, of several the nearest to it, and their point. `point` is that
    /// of a decimal whose nearest double this is.
    // [Steele and White, "How to print floating-point numbers accurately", 1990.]
    fn shortest<'a>(&self, point: i32, digits: &'a mut [u8; 18]) -> (&'a [u8], i32) {
        // All in quarters of a unit in the last place, and times the unit of the digit to come. The lower neighbour of a
        // power of two is nearer.
        let closer = self.mantissa == HIDDEN && self.exponent > LEAST;
        let mut rest = Big::new(4 * self.mantissa);
        let mut above = Big::new(4 * self.mantissa + 2);
        let mut below = Big::new(if closer { 1 } else { 2 });
        let mut unit = Big::new(4);
        let power = self.exponent.unsigned_abs();
        if self.exponent < 0 {
            unit.double(power);
        }
        if point > 0 {
            unit.multiply_by_ten(point.unsigned_abs());
        }
        for big in [&mut rest, &mut above, &mut below] {
            if self.exponent > 0 {
                big.double(power);
            }
            if point < 0 {
                big.multiply_by_ten(point.unsigned_abs());
            }
        }

        // What lies exactly between two doubles is read as the even one.
        let even = self.mantissa.is_multiple_of(2);
        let reaches = |above: &Big, unit: &Big| match above.cmp(unit) {
            Ordering::Less => false,
            Ordering::Equal => even,
            Ordering::Greater => true,
        };
        let mut count = 0;
        let grown = reaches(&above, &unit);
        let point = point + i32::from(grown);
        let mut ahead = grown;
        loop {
            if !ahead {
                for big in [&mut rest, &mut above, &mut below] {
                    big.multiply(10, 0);
                }
            }
            ahead = false;
            let digit = rest.divide(&unit);
            above.subtract(&unit, digit);
            let mut digit = b'0' + digit as u8;
            let down = reaches(&below, &rest);
            let up = reaches(&above, &unit);
            if up && down {
                rest.multiply(2, 0);
            }
            let odd = digit % 2 == 1;
            let nearer_up = rest > unit || (rest == unit && odd);
            digit += u8::from(up && (!down || nearer_up));
            let Some(place) = digits.get_mut(count) else {
                break;
            };
            *place = digit;
            count += 1;
            if up || down {
                break;
            }
        }
        (digits.get(..count).unwrap_or_default(), point)
    }
}

/// Writes 0.DIGITS · 10^point as ECMAScript's `Number::toString` does.
fn append(negative: bool, digits: &[u8], point: i32, out: &mut Written) {
    if negative {
        out.push(b'-');
    }
    let length = digits.len() as i32;
    let scientific = !(-5..=21).contains(&point);
    // From the digit of this index up to that one, with zeros where there is none, and the point before a third.
    let (first, last, point_at) = if scientific {
        (0, length, 1)
    } else {
        ((point - 1).min(0), point.max(length), point)
    };
    for index in first..last {
        if index == point_at && index > first {
            out.push(b'.');
        }
        let digit = usize::try_from(index)
            .ok()
            .and_then(|index| digits.get(index));
        out.push(*digit.unwrap_or(&b'0'));
    }
    if scientific {
        let power = point - 1;
        out.push(b'e');
        out.push(if power < 0 { b'-' } else { b'+' });
        let power = power.unsigned_abs();
        for unit in [100, 10, 1] {
            if power >= unit {
                out.push(b'0' + (power / unit % 10) as u8);
            }
        }
    }
}
