//! What an event costs, and what an id held takes, from a thousand ids to 54 million: this crate beside what people use instead.
//!
//! `cargo run --release -p firstseen-curve -- measure FILE.csv [HELD…]` prints Markdown tables and writes the file;
//! `… -- plot FILE.csv FILE.svg` draws it. `cargo xtask bench` does the first and `cargo xtask plot` the second.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark fails by panicking"
)]
#![allow(dead_code, reason = "the designs are shared with other benchmarks")]

#[path = "../../w1/allocations.rs"]
mod allocations;
#[path = "../../w1/designs.rs"]
mod designs;
mod peers;
mod plot;
mod point;
mod report;
#[path = "../../w1/runner.rs"]
mod runner;
#[path = "../../w1/stream.rs"]
mod stream;

use std::error::Error;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use report::Row;

/// Ids held, at each of which all designs run. `report.rs` looks for 100 thousand and 54 million among them.
const HELD: [u64; 11] = [
    1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 5_400_000, 20_000_000,
    54_000_000,
];

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["measure", csv] => measure(csv, &HELD),
        ["measure", csv, held @ ..] => {
            let held: Result<Vec<u64>, _> = held.iter().map(|held| held.parse()).collect();
            measure(csv, &held?)
        }
        ["point", held] => {
            let rows = point::measure(held.parse()?);
            rows.iter().for_each(|row| println!("{}", row.to_csv()));
            Ok(())
        }
        ["plot", csv, svg] => plot::draw(&report::from_csv(&fs::read_to_string(csv)?)?, svg),
        _ => Err("`measure FILE.csv [HELD…]` or `plot FILE.csv FILE.svg`".into()),
    }
}

/// Each point in a process of its own, so that it finds the allocator as the operating system made it.
fn measure(csv: &str, held: &[u64]) -> Outcome {
    let mut rows: Vec<Row> = Vec::new();
    for held in held {
        let start = Instant::now();
        let child = Command::new(std::env::current_exe()?)
            .args(["point", &held.to_string()])
            .stderr(Stdio::inherit())
            .output()?;
        if !child.status.success() {
            return Err(format!("{held} ids held: {}", child.status).into());
        }
        rows.extend(report::rows(&String::from_utf8(child.stdout)?)?);
        // After each point, so that a run that is broken off leaves what it has.
        fs::write(csv, report::to_csv(&rows))?;
        eprintln!("{held} ids held: measured in {:.0?}", start.elapsed());
    }
    println!("{}", report::markdown(&rows));
    Ok(())
}
