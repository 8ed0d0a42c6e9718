//! From crates to the files that packages are made of.

use crate::shell::{
    at, cargo, copy, empty_folder, existing, files, make_folder, node, npm_ci, Outcome,
};
use crate::{python, toolchain};
use std::env::consts::{ARCH, DLL_PREFIX, DLL_SUFFIX, OS};
use std::path::Path;

const WASM: &str = "wasm32-unknown-unknown";

// What every engine since 2022 has, and rustc's default for this target uses. Not
// `--all-features`: wasm-opt may write what the engines at hand do not read.
const WASM_FEATURES: &str = "--enable-bulk-memory --enable-bulk-memory-opt \
    --enable-call-indirect-overlong --enable-multivalue --enable-mutable-globals \
    --enable-nontrapping-float-to-int --enable-reference-types --enable-sign-ext";

/// An error if there is no toolchain for the module.
pub(crate) fn wasm_toolchain() -> Outcome {
    toolchain::build_for(WASM, "std,panic_abort").map(drop)
}

/// The module and its glue, in `bindings-wasm/pkg`.
pub(crate) fn wasm() -> Outcome {
    existing("bindings-wasm/Cargo.toml", "it is the crate firstseen-wasm")?;
    toolchain::for_release(toolchain::build_for(WASM, "std,panic_abort")?)
        .args("--release -p firstseen-wasm")
        .run()?;
    let package = at("bindings-wasm/pkg");
    empty_folder(&package)?;
    cargo()
        .args("run --quiet --locked --manifest-path")
        .arg(at("xtask/wasm/Cargo.toml"))
        .arg("--target-dir")
        .arg(at("target/xtask-wasm"))
        .arg("--")
        .arg(at(&format!(
            "target/foreign/{WASM}/release/firstseen_wasm.wasm"
        )))
        .arg(&package)
        .arg("firstseen")
        .run()?;
    npm_ci("xtask/wasm")?;
    let module = package.join("firstseen_bg.wasm");
    let before = size(&module)?;
    node()
        .arg(at("xtask/wasm/node_modules/binaryen/bin/wasm-opt"))
        .args("-O3 --strip-producers")
        .args(WASM_FEATURES)
        .arg(&module)
        .arg("-o")
        .arg(&module)
        .run()?;
    println!(
        "firstseen_bg.wasm: {before} bytes, {} after wasm-opt",
        size(&module)?
    );
    script("bindings-wasm/build.mjs")
}

/// This machine's addon, as `bindings-node/firstseen.PLATFORM.node`.
pub(crate) fn addon() -> Outcome {
    existing("bindings-node/Cargo.toml", "it is the crate firstseen-node")?;
    toolchain::for_release(cargo())
        .env("CARGO_PROFILE_RELEASE_STRIP", "symbols")
        .args("build --release -p firstseen-node")
        .run()?;
    let library = at(&format!(
        "target/release/{DLL_PREFIX}firstseen_node{DLL_SUFFIX}"
    ));
    let name = format!("firstseen.{}.node", platform());
    // Removed first: a process that has the old file mapped keeps it.
    let addon = at("bindings-node").join(&name);
    std::fs::remove_file(&addon).ok();
    copy(&library, &addon)?;
    println!("{name}: {} bytes", size(&addon)?);
    script("bindings-node/build.mjs")
}

/// Wheel and sdist, into `folder`.
pub(crate) fn wheel(folder: &Path) -> Outcome {
    existing(
        "bindings-python/Cargo.toml",
        "it is the crate firstseen-python",
    )?;
    let tools = python::tools("build")?;
    let made = at("target/wheels");
    empty_folder(&made)?;
    // The files of an sdist have the time of no day, so cargo would take what it compiled of older ones for new.
    cargo()
        .args("clean --quiet --release -p firstseen -p firstseen-python --target-dir")
        .arg(at("target/python"))
        .run()?;
    toolchain::for_release(tools.program("maturin"))
        // maturin would fetch a toolchain where it finds none.
        .env("MATURIN_NO_INSTALL_RUST", "1")
        // The wheel is built from the sdist, in a new folder each time: only this keeps what was compiled.
        .env("CARGO_TARGET_DIR", at("target/python"))
        .args("build --release --sdist --strip --manifest-path")
        .arg(at("bindings-python/Cargo.toml"))
        .arg("--out")
        .arg(&made)
        .run()?;
    make_folder(folder)?;
    for file in files(&made, "")? {
        copy(&file, &folder.join(file.file_name().unwrap_or_default()))?;
    }
    Ok(())
}

fn script(path: &str) -> Outcome {
    node()
        .arg(existing(
            path,
            "it makes the npm package of what was built",
        )?)
        .run()
}

fn size(file: &Path) -> Outcome<u64> {
    file.metadata()
        .map(|data| data.len())
        .map_err(|error| format!("cannot read `{}`: {error}", file.display()))
}

/// This machine, as napi names it.
fn platform() -> String {
    let system = match OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let processor = match ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        "x86" => "ia32",
        other => other,
    };
    let library = match OS {
        "linux" if cfg!(target_env = "musl") => "-musl",
        "linux" => "-gnu",
        "windows" => "-msvc",
        _ => "",
    };
    format!("{system}-{processor}{library}")
}
