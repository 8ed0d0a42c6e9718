//! Everything that `BENCHMARKS.md` says, measured again.

use crate::dist;
use crate::python;
use crate::shell::{at, cargo, existing, make_folder, node, program, Outcome, Program};

const CURVE: &str = "docs/bench/curve.csv";
const PLOT: &str = "docs/curve.svg";

pub(crate) fn run() -> Outcome {
    println!("{}", program("uname").args("-srm").read()?);
    dist::all()?;
    println!("\n## The stream W1");
    cargo().args("bench -p firstseen --bench w1").run()?;
    println!("\n## From a thousand ids to 54 million");
    make_folder(&at("docs/bench"))?;
    curve().arg("measure").arg(at(CURVE)).run()?;
    plot()?;
    println!("\n## Filters");
    cargo()
        .args("run --quiet --release -p firstseen-curve --bin filters")
        .run()?;
    cargo()
        .args("run --quiet --release -p firstseen-curve --bin rates")
        .args("docs/bench/rates.csv docs/rates.svg")
        .run()?;
    println!("\n## Ids as texts");
    cargo().args("bench -p firstseen --bench texts").run()?;
    println!("\n## Threads");
    cargo().args("bench -p firstseen --bench threads").run()?;
    println!("\n## Memory");
    cargo().args("bench -p firstseen --bench bytes").run()?;
    println!("\n## Numbered events");
    cargo().args("bench -p firstseen --bench sequences").run()?;
    println!("\n## Single calls in Rust");
    cargo().args("bench -p firstseen --bench calls").run()?;
    println!("\n## Single calls in Python");
    let venv = python::holding(&dist::wheel()?)?;
    venv.python()
        .args("-m pip install --quiet cachetools==8.0.2")
        .run()?;
    venv.python()
        .arg(existing(
            "bindings-python/benches/calls.py",
            "it measures Python",
        )?)
        .run()?;
    println!("\n## Filters in Python");
    venv.python()
        .args("-m pip install --quiet rbloom==1.5.4")
        .run()?;
    venv.python()
        .arg(existing(
            "bindings-python/benches/filters.py",
            "it measures Python's filters",
        )?)
        .run()?;
    println!("\n## Single calls in Node");
    node()
        .arg(existing(
            "bindings-node/benches/calls.mjs",
            "it measures Node",
        )?)
        .run()?;
    node()
        .arg(existing(
            "bindings-node/benches/least.mjs",
            "it measures Node undisturbed",
        )?)
        .run()?;
    println!("\n## The command line");
    program(at("cli/benches/throughput.sh")).arg("3").run()
}

/// Draws the curve of the last `bench` anew.
pub(crate) fn plot() -> Outcome {
    let measured = existing(CURVE, "`cargo xtask bench` measures it")?;
    curve().arg("plot").arg(measured).arg(at(PLOT)).run()
}

fn curve() -> Program {
    cargo().args("run --quiet --release -p firstseen-curve --")
}
