//! From files to packages, in `dist/`.

use crate::shell::{at, cargo, empty_folder, existing, files, make_folder, node, npm, Outcome};
use crate::{build, toolchain};
use std::path::PathBuf;

pub(crate) fn all() -> Outcome {
    // Asked first: without it, two of three packages would be built in vain.
    build::wasm_toolchain()?;
    empty_folder(&at("dist"))?;
    python()?;
    addon()?;
    wasm()?;
    println!("\ndist/");
    for file in files(&at("dist"), "")? {
        let bytes = file.metadata().map_or(0, |data| data.len());
        println!(
            "  {bytes:>9}  {}",
            file.file_name().unwrap_or_default().to_string_lossy()
        );
    }
    // One of each, so that no test takes a stale one for the new.
    wheel()?;
    only(".tar.gz")?;
    tarball("firstseen")?;
    tarball("firstseen-wasm").map(drop)
}

pub(crate) fn python() -> Outcome {
    clear(".whl")?;
    clear(".tar.gz")?;
    build::wheel(&at("dist"))
}

pub(crate) fn addon() -> Outcome {
    build::addon()?;
    pack("bindings-node", "firstseen")
}

pub(crate) fn wasm() -> Outcome {
    build::wasm()?;
    pack("bindings-wasm", "firstseen-wasm")
}

/// The demonstration; it needs the command line beside the packages.
pub(crate) fn demo() -> Outcome {
    let script = existing("demo/run.mjs", "it is the demonstration")?;
    toolchain::for_release(cargo())
        .args("build --release -p firstseen-cli")
        .run()?;
    node().arg(script).run()
}

fn pack(folder: &str, name: &str) -> Outcome {
    existing(
        &format!("{folder}/package.json"),
        "it describes the npm package",
    )?;
    make_folder(&at("dist"))?;
    for old in tarballs(name)? {
        std::fs::remove_file(&old).map_err(|error| format!("cannot remove it: {error}"))?;
    }
    npm()
        .args("pack --ignore-scripts --pack-destination")
        .arg(at("dist"))
        .folder(at(folder))
        .run()
}

pub(crate) fn wheel() -> Outcome<PathBuf> {
    only(".whl")
}

/// The npm tarball of the package `name`.
pub(crate) fn tarball(name: &str) -> Outcome<PathBuf> {
    one(tarballs(name)?, &format!("npm tarball of {name}"))
}

/// `firstseen-0.1.0.tgz` is no tarball of `firstseen-wasm`, nor the other way round.
fn tarballs(name: &str) -> Outcome<Vec<PathBuf>> {
    let mut found = files(&at("dist"), ".tgz")?;
    found.retain(|path| {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        file.strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('-'))
            .is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
    });
    Ok(found)
}

fn only(suffix: &str) -> Outcome<PathBuf> {
    existing("dist", "run `cargo xtask dist`")?;
    one(files(&at("dist"), suffix)?, &format!("`{suffix}` file"))
}

fn one(mut found: Vec<PathBuf>, what: &str) -> Outcome<PathBuf> {
    match (found.pop(), found.len()) {
        (Some(path), 0) => Ok(path),
        (Some(_), more) => Err(format!("dist/ holds {} times a {what}, not one", more + 1)),
        (None, _) => Err(format!("dist/ holds no {what}: run `cargo xtask dist`")),
    }
}

fn clear(suffix: &str) -> Outcome {
    make_folder(&at("dist"))?;
    for old in files(&at("dist"), suffix)? {
        std::fs::remove_file(&old).map_err(|error| format!("cannot remove it: {error}"))?;
    }
    Ok(())
}
