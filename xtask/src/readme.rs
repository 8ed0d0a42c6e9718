//! The examples of README.md and of docs/ are programs: each is run against what `dist/` holds.
//!
//! Blocks tagged `rust`, `python`, `js` and `sh run` run, those of one language in order and each on its
//! own; a block tagged `text output` right behind one is what it must print.

use crate::shell::{at, cargo, existing, make_folder, node, program, Outcome, Program};
use crate::{dist, python, toolchain};
use std::fs;
use std::path::{Path, PathBuf};

/// Pages whose examples run too.
const PAGES: [&str; 2] = ["docs/consumers.md", "docs/metrics.md"];

struct Block {
    page: &'static str,
    tag: String,
    line: usize,
    text: String,
    output: Option<String>,
}

pub(crate) fn run() -> Outcome {
    let path = existing("README.md", "its examples are tests")?;
    let text = fs::read_to_string(&path).map_err(|error| format!("cannot read it: {error}"))?;
    let mut blocks = blocks("README.md", &text)?;
    for (tag, host) in [("rust", "Rust"), ("python", "Python"), ("js", "JavaScript")] {
        if !blocks.iter().any(|block| block.tag == tag) {
            return Err(format!(
                "README.md has no example for {host} (a block tagged `{tag}`)"
            ));
        }
    }
    rust(&path)?;
    for page in PAGES {
        let text = fs::read_to_string(existing(page, "its examples are tests")?);
        let text = text.map_err(|error| format!("cannot read it: {error}"))?;
        blocks.extend(self::blocks(page, &text)?);
    }
    let places = Places::prepare()?;
    let mut failed = Vec::new();
    let mut passed = 0;
    for block in &blocks {
        match places.program_for(block)? {
            None => {}
            Some(program) => match judge(program, block) {
                Ok(()) => passed += 1,
                Err(message) => failed.push(format!("{}:{}: {message}", block.page, block.line)),
            },
        }
    }
    failed.iter().for_each(|message| println!("{message}"));
    println!("readme: {passed} passed, {} failed", failed.len());
    if failed.is_empty() {
        Ok(())
    } else {
        Err("examples of README.md do not do what they say".to_owned())
    }
}

fn judge(program: Program, block: &Block) -> Outcome {
    println!("{}:{} ({})", block.page, block.line, block.tag);
    let printed = program.read()?;
    match &block.output {
        Some(wanted) if wanted.trim_end() != printed.trim_end() => {
            Err(format!("printed\n{printed}instead of\n{wanted}"))
        }
        _ => Ok(()),
    }
}

/// The fenced blocks, each with the `text output` block behind it.
fn blocks(page: &'static str, text: &str) -> Outcome<Vec<Block>> {
    let mut found: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    let mut adjacent = false;
    for (index, line) in text.lines().enumerate() {
        match (open.take(), line.strip_prefix("```")) {
            (None, Some(tag)) => {
                let (tag, line) = (tag.trim().to_owned(), index + 1);
                open = Some(Block {
                    page,
                    tag,
                    line,
                    text: String::new(),
                    output: None,
                });
            }
            (None, None) => adjacent &= line.trim().is_empty(),
            (Some(block), Some(_)) if block.tag == "text output" => {
                let owner = found.last_mut().filter(|_| adjacent).ok_or_else(|| {
                    format!(
                        "{page}:{}: an output without a program before it",
                        block.line
                    )
                })?;
                owner.output = Some(block.text);
                adjacent = false;
            }
            (Some(block), Some(_)) => {
                found.push(block);
                adjacent = true;
            }
            (Some(mut block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
                open = Some(block);
            }
        }
    }
    match open {
        Some(block) => Err(format!("{page}:{}: the block is not closed", block.line)),
        None => Ok(found),
    }
}

/// rustdoc runs the Rust blocks as it runs those of the documentation.
fn rust(readme: &Path) -> Outcome {
    cargo().args("build -p firstseen --features std").run()?;
    program("rustdoc")
        .args("--test --edition 2021 --crate-name readme")
        .arg("-L")
        .arg(format!("dependency={}", at("target/debug/deps").display()))
        .arg("--extern")
        .arg(format!(
            "firstseen={}",
            at("target/debug/libfirstseen.rlib").display()
        ))
        .arg(readme)
        .run()
}

/// Where the other examples run.
struct Places {
    python: python::Venv,
    packages: PathBuf,
    scratch: PathBuf,
    tools: std::ffi::OsString,
}

impl Places {
    fn prepare() -> Outcome<Self> {
        let python = python::holding(&dist::wheel()?)?;
        toolchain::for_release(cargo())
            .args("build --release -p firstseen-cli")
            .run()?;
        let packages = node()
            .arg(existing(
                "tests/hosts/js/install.mjs",
                "it installs npm tarballs",
            )?)
            .arg(dist::tarball("firstseen")?)
            .arg(dist::tarball("firstseen-wasm")?)
            .read()?;
        let packages = PathBuf::from(packages.trim());
        let scratch = packages.join("readme");
        make_folder(&scratch)?;
        let path = std::env::var_os("PATH").unwrap_or_default();
        let tools = std::iter::once(at("target/release")).chain(std::env::split_paths(&path));
        let tools = std::env::join_paths(tools).map_err(|error| error.to_string())?;
        Ok(Self {
            python,
            packages,
            scratch,
            tools,
        })
    }

    fn program_for(&self, block: &Block) -> Outcome<Option<Program>> {
        let (program, file) = match block.tag.as_str() {
            "python" => (self.python.python(), "example.py"),
            "js" => (node(), "example.mjs"),
            "sh run" => (
                program("sh").arg("-eu").env("PATH", &self.tools),
                "example.sh",
            ),
            _ => return Ok(None),
        };
        let file = self.scratch.join(file);
        fs::write(&file, &block.text).map_err(|error| format!("cannot write it: {error}"))?;
        Ok(Some(program.arg(file).folder(&self.scratch)))
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.packages).ok();
    }
}
