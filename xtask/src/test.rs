//! `cargo xtask test`: the steps in order, each timed, all of them run even after one failed.

use crate::shell::Outcome;
use crate::steps::{Step, STEPS};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The random part of the suite.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Random {
    pub(crate) seed: u64,
    pub(crate) scenarios: u64,
    pub(crate) steps: u64,
}

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let mut random = Random {
        seed: fresh_seed(),
        scenarios: 240,
        steps: 700,
    };
    let mut chosen: Vec<&Step> = STEPS.iter().collect();
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        if option == "--list" {
            STEPS
                .iter()
                .for_each(|step| println!("{:16} {}", step.name, step.about));
            return Ok(());
        }
        let value = rest
            .next()
            .ok_or_else(|| format!("`{option}` needs a value"))?;
        match option.as_str() {
            "--only" => {
                let names = value
                    .split(',')
                    .map(position)
                    .collect::<Outcome<Vec<usize>>>()?;
                chosen = names
                    .into_iter()
                    .filter_map(|index| STEPS.get(index))
                    .collect();
            }
            "--from" => chosen = STEPS.iter().skip(position(value)?).collect(),
            "--seed" => random.seed = number(option, value)?,
            "--scenarios" => random.scenarios = number(option, value)?,
            "--steps" => random.steps = number(option, value)?,
            _ => return Err(format!("unknown option `{option}` of `test`")),
        }
    }
    println!("seed {}", random.seed);
    let mut lines = Vec::new();
    let mut failed = Vec::new();
    let start = Instant::now();
    for step in &chosen {
        println!("\n=== {} · {}", step.name, step.about);
        let begun = Instant::now();
        let outcome = (step.run)(&random);
        let seconds = begun.elapsed().as_secs_f64();
        let word = if outcome.is_ok() { "ok" } else { "FAILED" };
        println!("=== {} {word} ({seconds:.1} s)", step.name);
        lines.push(format!("{:16} {seconds:>7.1} s  {word}", step.name));
        if let Err(message) = outcome {
            println!("{message}");
            failed.push(step.name);
        }
    }
    println!("\nsummary (seed {})", random.seed);
    lines.iter().for_each(|line| println!("  {line}"));
    println!("  {:16} {:>7.1} s", "total", start.elapsed().as_secs_f64());
    if failed.is_empty() {
        println!("  all {} steps ok", chosen.len());
        Ok(())
    } else {
        let (bad, all) = (failed.len(), chosen.len());
        Err(format!(
            "{bad} of {all} steps failed: {}",
            failed.join(", ")
        ))
    }
}

fn position(name: &str) -> Outcome<usize> {
    STEPS
        .iter()
        .position(|step| step.name == name)
        .ok_or_else(|| format!("no step `{name}`: see `cargo xtask test --list`"))
}

fn number(option: &str, value: &str) -> Outcome<u64> {
    value
        .parse()
        .map_err(|_| format!("`{option}` takes a whole number, got `{value}`"))
}

/// Another one each time; it is printed, so that a failure can be run again.
fn fresh_seed() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(1, |age| age.as_secs())
}
