//! The project's commands: `cargo xtask help` lists them.

mod bench;
mod build;
mod dist;
mod python;
mod readme;
mod shell;
mod steps;
mod test;
mod toolchain;

use shell::Outcome;

const HELP: &str = "\
cargo xtask COMMAND

  dist             build all of the below; leaves wheel, sdist and two npm tarballs in dist/
  build-python     wheel and sdist, into dist/
  build-node       the native addon of this machine and its npm tarball, into dist/
  build-wasm       the WebAssembly module and its npm tarball, into dist/
  demo             dist, then the demonstration: one stream of webhooks, four hosts, one answer
  test             everything that CI runs
    --list           name the steps and stop
    --only A,B       run these steps only (what they need must have run before)
    --from A         run this step and all that follow
    --seed N         seed of the random scenarios (printed in any case)
    --scenarios K    how many of them (default 240)
    --steps M        calls in each (default 700)
  bench            dist, then everything that BENCHMARKS.md says, measured again; leaves
                   docs/bench/curve.csv and docs/curve.svg
  plot             docs/curve.svg alone, from the docs/bench/curve.csv that is there

environment
  FIRSTSEEN_WASM_TOOLCHAIN=debian   build for targets that the toolchain lacks with Debian's
                                    rustc-web cargo-web rust-web-src rust-web-llvm lld-22
  FIRSTSEEN_CHROMIUM=PATH           the Chromium to test in
  PYTHON=PATH                       the Python to use (3.10 or later)
";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Err(message) = command(&arguments) {
        eprintln!("\nxtask: {message}");
        std::process::exit(1);
    }
}

fn command(arguments: &[String]) -> Outcome {
    let (name, rest) = match arguments.split_first() {
        Some((name, rest)) => (name.as_str(), rest),
        None => ("help", arguments),
    };
    if let (false, Some(extra)) = (name == "test", rest.first()) {
        return Err(format!("`{name}` takes no argument, got `{extra}`"));
    }
    match name {
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        "build-python" => dist::python(),
        "build-node" => dist::addon(),
        "build-wasm" => dist::wasm(),
        "dist" => dist::all(),
        "demo" => dist::all().and_then(|()| dist::demo()),
        "bench" => bench::run(),
        "plot" => bench::plot(),
        "test" => test::run(rest),
        _ => Err(format!("unknown command `{name}`\n\n{HELP}")),
    }
}
