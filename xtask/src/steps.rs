//! The steps of `cargo xtask test`, in order.

use crate::shell::{at, cargo, empty_folder, existing, node, npm_ci, Outcome};
use crate::test::Random;
use crate::{dist, python, readme, toolchain};

pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) run: fn(&Random) -> Outcome,
}

const fn step(name: &'static str, about: &'static str, run: fn(&Random) -> Outcome) -> Step {
    Step { name, about, run }
}

pub(crate) const STEPS: &[Step] = &[
    step("fmt", "rustfmt", fmt),
    step("clippy", "clippy over the workspace, no warning", clippy),
    step("ruff", "format and lints of the Python files", ruff),
    step(
        "rust",
        "unit tests, documentation examples, the command line",
        rust,
    ),
    step(
        "loom",
        "what threads share, in every order that they can meet in",
        loom,
    ),
    step("no-std", "the core on targets without std", no_std),
    step("dist", "wheel, sdist and both npm tarballs", |_| {
        dist::all()
    }),
    step(
        "oracle",
        "the vectors are well-formed, and the oracle agrees with each",
        oracle,
    ),
    step("generate", "random scenarios from a seed", generate),
    step("suite-rust", "conformance: Rust", suite_rust),
    step(
        "suite-python",
        "conformance: the wheel in a clean environment",
        suite_python,
    ),
    step(
        "suite-node",
        "conformance: the addon's tarball in an empty folder",
        |_| suite_js("node.mjs", "firstseen"),
    ),
    step(
        "suite-wasm-node",
        "conformance: the WASM tarball in Node",
        |_| suite_js("wasm-node.mjs", "firstseen-wasm"),
    ),
    step(
        "suite-chromium",
        "conformance: the WASM tarball in headless Chromium",
        |_| suite_js("chromium.mjs", "firstseen-wasm"),
    ),
    step(
        "suite-workerd",
        "conformance: the WASM tarball in workerd",
        |_| suite_js("workerd.mjs", "firstseen-wasm"),
    ),
    step("python", "what only Python has", python_tests),
    step(
        "node",
        "what only JavaScript has, of both packages",
        node_tests,
    ),
    step("stubs", "the Python stubs say what the module has", stubs),
    step(
        "tsc",
        "the declarations of both npm packages in strict TypeScript",
        tsc,
    ),
    step("readme", "the examples of README.md", |_| readme::run()),
    step("demo", "the demonstration", |_| dist::demo()),
];

const GENERATED: &str = "target/generated";
const JS: &str = "tests/hosts/js";

fn fmt(_: &Random) -> Outcome {
    cargo().args("fmt --all --check").run()?;
    cargo()
        .args("fmt --check --manifest-path")
        .arg(at("xtask/wasm/Cargo.toml"))
        .run()
}

fn clippy(_: &Random) -> Outcome {
    cargo()
        .args("clippy --workspace --all-targets -- -D warnings")
        .run()
}

fn ruff(_: &Random) -> Outcome {
    let tools = python::tools("lint")?;
    tools
        .program("ruff")
        .args("format --check --config xtask/python/ruff.toml .")
        .run()?;
    tools
        .program("ruff")
        .args("check --config xtask/python/ruff.toml .")
        .run()
}

fn rust(_: &Random) -> Outcome {
    cargo()
        .env("FIRSTSEEN_OPERATIONS", "10000000")
        .args("test")
        .run()
}

fn loom(_: &Random) -> Outcome {
    // A folder of its own: other flags would have everything else built again. Models are small, so the build is what takes time.
    cargo()
        .env("RUSTFLAGS", "--cfg loom")
        .env("CARGO_PROFILE_TEST_OPT_LEVEL", "0")
        .env("CARGO_PROFILE_TEST_DEBUG", "0")
        .args("test -p firstseen --lib --target-dir")
        .arg(at("target/loom"))
        .arg("tests::models")
        .run()
}

fn no_std(_: &Random) -> Outcome {
    for target in ["thumbv6m-none-eabi", "wasm32v1-none"] {
        toolchain::build_for(target, "core,alloc")?
            .args("-p firstseen --no-default-features")
            .run()?;
    }
    Ok(())
}

fn oracle(_: &Random) -> Outcome {
    let venv = python::tools("suite")?;
    let lint = existing("tests/suite/lint.py", "it keeps the vectors well-formed")?;
    let check = existing(
        "tests/suite/check.py",
        "it compares the vectors with the oracle",
    )?;
    let linted = venv.python().arg(lint).run();
    venv.python().arg(check).run().and(linted)
}

fn generate(random: &Random) -> Outcome {
    let script = existing("tests/suite/generate.py", "it makes the random scenarios")?;
    empty_folder(&at(GENERATED))?;
    let venv = python::tools("suite")?;
    venv.python()
        .arg(script)
        .arg("--seed")
        .arg(random.seed.to_string())
        .arg("--scenarios")
        .arg(random.scenarios.to_string())
        .arg("--steps")
        .arg(random.steps.to_string())
        .arg("--out")
        .arg(at(GENERATED))
        .run()
}

fn generated() -> Outcome<std::path::PathBuf> {
    existing(GENERATED, "run the step `generate` first")
}

fn suite_rust(_: &Random) -> Outcome {
    existing("core/tests/conformance.rs", "it runs the vectors in Rust")?;
    cargo()
        .env("FIRSTSEEN_GENERATED", generated()?)
        .args("test -p firstseen --test conformance -- --nocapture")
        .run()
}

fn suite_python(_: &Random) -> Outcome {
    existing("tests/hosts/python", "it runs the vectors in Python")?;
    let venv = python::with_wheel(&dist::wheel()?)?;
    pytest(&venv, "tests/hosts/python")
}

fn python_tests(_: &Random) -> Outcome {
    pytest(&python::holding(&dist::wheel()?)?, "bindings-python/tests")
}

fn pytest(venv: &python::Venv, folder: &str) -> Outcome {
    // From the folder itself, so that the wheel is what `import firstseen` finds.
    venv.python()
        .env("FIRSTSEEN_GENERATED", generated()?)
        .args("-m pytest -p no:cacheprovider --capture=no .")
        .folder(existing(folder, "it tests the wheel")?)
        .run()
}

fn suite_js(script: &str, package: &str) -> Outcome {
    npm_ci(JS)?;
    node()
        .arg(existing(
            &format!("{JS}/{script}"),
            "it runs the vectors in this host",
        )?)
        .arg(dist::tarball(package)?)
        .arg(generated()?)
        .run()
}

fn node_tests(_: &Random) -> Outcome {
    node()
        .arg(existing(
            "bindings-node/tests/run.mjs",
            "it tests the tarballs",
        )?)
        .arg(dist::tarball("firstseen")?)
        .arg(dist::tarball("firstseen-wasm")?)
        .run()
}

fn stubs(_: &Random) -> Outcome {
    python::holding(&dist::wheel()?)?
        .python()
        .args("-m mypy.stubtest firstseen")
        .run()
}

fn tsc(_: &Random) -> Outcome {
    npm_ci(JS)?;
    node()
        .arg(existing(
            &format!("{JS}/types.mjs"),
            "it compiles the declarations",
        )?)
        .arg(dist::tarball("firstseen")?)
        .arg(dist::tarball("firstseen-wasm")?)
        .run()
}
