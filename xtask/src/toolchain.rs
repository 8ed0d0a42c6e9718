//! Which Rust builds for a foreign target: this one if it can, Debian's if asked to, else nobody.

use crate::shell::{at, cargo, program, root, Outcome, Program};
use std::path::{Path, PathBuf};

const SWITCH: &str = "FIRSTSEEN_WASM_TOOLCHAIN";
const PACKAGES: &str = "rustc-web cargo-web rust-web-src rust-web-llvm lld-22";

const ALL: &str = "wasm32-unknown-unknown wasm32v1-none thumbv6m-none-eabi";

/// `cargo build --target TARGET`, with the crates of std in `std` built from source where the
/// toolchain does not bring them.
pub(crate) fn build_for(target: &str, std: &str) -> Outcome<Program> {
    let own = Path::new(&sysroot()?)
        .join("lib/rustlib")
        .join(target)
        .join("lib");
    let program = if own.is_dir() {
        println!("{target}: the toolchain's own");
        cargo().arg("build")
    } else {
        match std::env::var(SWITCH).as_deref() {
            Ok("debian") => debian(target, std)?,
            Ok(other) if !other.is_empty() => {
                return Err(format!(
                    "{SWITCH} is `{other}`: the one value known is `debian`"
                ))
            }
            _ => {
                return Err(format!(
                    "this Rust toolchain cannot build for {target} yet. Either run\n  \
                     rustup target add {target}    (all that `cargo xtask test` needs: {ALL})\n\
                     or, on Debian,\n  \
                     apt-get install {PACKAGES}\n  \
                     export {SWITCH}=debian"
                ))
            }
        }
    };
    // A folder of its own: two compilers in one would evict each other's work.
    Ok(program
        .arg("--target")
        .arg(target)
        .arg("--target-dir")
        .arg(at("target/foreign")))
}

fn sysroot() -> Outcome<String> {
    let sysroot = program("rustc").args("--print sysroot").read()?;
    Ok(sysroot.trim().to_owned())
}

fn debian(target: &str, std: &str) -> Outcome<Program> {
    for file in [
        "/usr/bin/cargo",
        "/usr/bin/rustc",
        "/usr/lib/rustlib/src/rust/library",
    ] {
        if !Path::new(file).exists() {
            return Err(format!(
                "{SWITCH}=debian, but `{file}` is missing: run `apt-get install {PACKAGES}`"
            ));
        }
    }
    println!("{target}: Debian's toolchain, std from source");
    let path = std::env::var("PATH").unwrap_or_default();
    Ok(program("/usr/bin/cargo")
        .env("PATH", format!("/usr/bin:{path}"))
        .env("RUSTC", "/usr/bin/rustc")
        // -Zbuild-std is unstable, and Debian's compiler is a stable one.
        .env("RUSTC_BOOTSTRAP", "1")
        .without_env("RUSTUP_TOOLCHAIN")
        .without_env("RUSTDOC")
        .without_env("CARGO")
        .arg("build")
        .arg(format!("-Zbuild-std={std}")))
}

/// What goes to other machines: no debug information, no path of this machine in messages.
pub(crate) fn for_release(program: Program) -> Program {
    let mut flags = format!("--remap-path-prefix={}=firstseen", root().display());
    for sources in registries() {
        flags.push_str(&format!(
            "\u{1f}--remap-path-prefix={}=crates",
            sources.display()
        ));
    }
    program
        .env("CARGO_ENCODED_RUSTFLAGS", flags)
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
}

/// The folders in which cargo keeps the sources of other crates.
fn registries() -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| {
            let user = std::env::var_os(if cfg!(windows) { "USERPROFILE" } else { "HOME" })?;
            Some(Path::new(&user).join(".cargo"))
        });
    let sources = home.map(|home| home.join("registry/src"));
    let folders = sources.and_then(|folder| std::fs::read_dir(folder).ok());
    let mut found: Vec<PathBuf> = folders
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}
