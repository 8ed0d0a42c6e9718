//! The measurements as comma-separated values, and as Markdown.

use std::fmt::Write as _;

use crate::designs::{Maker, FIRST_SEEN, RECORD, STD};
use crate::stream::Load;
use crate::Outcome;

/// One design at one number of ids held.
pub(crate) struct Row {
    /// The number asked for.
    pub(crate) held: u64,
    pub(crate) design: String,
    pub(crate) ns: f64,
    pub(crate) bytes: f64,
    /// What the design held in the end.
    pub(crate) held_in_fact: u64,
    pub(crate) warm_windows: u64,
    pub(crate) windows: u64,
}

const HEADER: &str = "held,design,ns_per_event,bytes_per_id,held_in_fact,warm_windows,windows";

impl Row {
    pub(crate) fn to_csv(&self) -> String {
        format!(
            "{},{},{:.1},{:.1},{},{},{}",
            self.held,
            self.design,
            self.ns,
            self.bytes,
            self.held_in_fact,
            self.warm_windows,
            self.windows
        )
    }

    fn from_csv(line: &str) -> Outcome<Self> {
        let fields: Vec<&str> = line.split(',').collect();
        let [held, design, ns, bytes, in_fact, warm, windows] = fields[..] else {
            return Err(format!("not a row of 7 fields: `{line}`").into());
        };
        Ok(Self {
            held: held.parse()?,
            design: design.to_owned(),
            ns: ns.parse()?,
            bytes: bytes.parse()?,
            held_in_fact: in_fact.parse()?,
            warm_windows: warm.parse()?,
            windows: windows.parse()?,
        })
    }
}

pub(crate) fn to_csv(rows: &[Row]) -> String {
    let lines = rows.iter().map(Row::to_csv);
    let lines: Vec<String> = std::iter::once(HEADER.to_owned()).chain(lines).collect();
    lines.join("\n") + "\n"
}

/// The rows of a whole file, whose first line names the fields.
pub(crate) fn from_csv(text: &str) -> Outcome<Vec<Row>> {
    match text.split_once('\n') {
        Some((HEADER, lines)) => rows(lines),
        _ => Err(format!("the first line is not `{HEADER}`").into()),
    }
}

pub(crate) fn rows(lines: &str) -> Outcome<Vec<Row>> {
    lines.lines().map(Row::from_csv).collect()
}

/// Each once, in the order of their first appearance.
pub(crate) fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    all.fold(Vec::new(), |mut seen, one| {
        if !seen.contains(&one) {
            seen.push(one);
        }
        seen
    })
}

/// 5400000 as `5,400,000`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub(crate) fn markdown(rows: &[Row]) -> String {
    let mut text =
        String::from("The stream W1 at other rates: a window of 60 s, 10 % redeliveries. ");
    let windows = distinct(rows.iter().map(|row| (row.warm_windows, row.windows)));
    for (warm, measured) in windows {
        let held = rows
            .iter()
            .filter(|row| (row.warm_windows, row.windows) == (warm, measured));
        let held = distinct(held.map(|row| grouped(row.held))).join(" and ");
        let _ = write!(text, "{held} held: {measured} windows, after {warm}. ");
    }
    let largest = rows.iter().map(|row| row.held).max();
    for design in distinct(rows.iter().map(|row| row.design.as_str())) {
        let of_it = rows.iter().filter(|row| row.design == design);
        let last = of_it.map(|row| row.held).max();
        if let Some(last) = last.filter(|_| last < largest) {
            let _ = write!(text, "{design} stops at {}. ", grouped(last));
        }
    }
    text.push('\n');
    let _ = writeln!(text, "\nCPU nanoseconds per event:\n");
    table(&mut text, rows, |row| row.ns);
    let _ = writeln!(text, "\nBytes allocated per id held:\n");
    table(&mut text, rows, |row| row.bytes);
    against_the_reference(&mut text, rows);
    text
}

fn table(text: &mut String, rows: &[Row], value: impl Fn(&Row) -> f64) {
    let designs = distinct(rows.iter().map(|row| row.design.as_str()));
    let _ = writeln!(text, "| held | {} |", designs.join(" | "));
    let _ = writeln!(text, "|---:{}|", "|---:".repeat(designs.len()));
    for held in distinct(rows.iter().map(|row| row.held)) {
        let _ = write!(text, "| {} |", grouped(held));
        for design in &designs {
            let _ = match at(rows, held, design) {
                Some(row) => write!(text, " {:.1} |", value(row)),
                None => write!(text, " – |"),
            };
        }
        text.push('\n');
    }
}

fn at<'a>(rows: &'a [Row], held: u64, design: &str) -> Option<&'a Row> {
    rows.iter()
        .find(|row| row.held == held && row.design == design)
}

/// The two points by which this crate is judged, one call per event.
fn against_the_reference(text: &mut String, rows: &[Row]) {
    let name = |make: Maker| {
        let least = Load {
            rate: 1,
            window_ms: 60_000,
        };
        make(least).name()
    };
    let (std, record, public) = (name(STD), name(RECORD), name(FIRST_SEEN));
    let _ = writeln!(text, "\nOne at a time, against {std}:\n");
    let _ = writeln!(
        text,
        "| held | {std}, ns | {record}, ns | quicker by | {public}, ns | quicker by |"
    );
    let _ = writeln!(text, "|---:|---:|---:|---:|---:|---:|");
    for held in [100_000, 54_000_000] {
        let ns = |design| at(rows, held, design).map(|row| row.ns);
        if let (Some(std), Some(record), Some(public)) = (ns(std), ns(record), ns(public)) {
            let _ = writeln!(
                text,
                "| {} | {std:.1} | {record:.1} | {:.1} | {public:.1} | {:.1} |",
                grouped(held),
                std / record,
                std / public,
            );
        }
    }
}
