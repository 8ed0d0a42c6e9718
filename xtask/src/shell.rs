//! Programs and files: every failure is a sentence that says what to do.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) type Outcome<T = ()> = Result<T, String>;

/// The workspace's folder.
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent()
        .map_or_else(|| here.clone(), Path::to_path_buf)
}

/// A path below the workspace's folder.
pub(crate) fn at(relative: &str) -> PathBuf {
    root().join(relative)
}

/// A path below the workspace's folder that must exist; `why` says what for.
pub(crate) fn existing(relative: &str, why: &str) -> Outcome<PathBuf> {
    let path = at(relative);
    if path.exists() {
        Ok(path)
    } else {
        Err(format!("`{relative}` is missing: {why}"))
    }
}

/// A program to run from the workspace's folder, with its output visible.
pub(crate) struct Program {
    command: Command,
    shown: String,
}

pub(crate) fn program(name: impl AsRef<OsStr>) -> Program {
    let mut command = Command::new(name.as_ref());
    command.current_dir(root());
    Program {
        command,
        shown: short(name.as_ref()),
    }
}

/// The cargo that runs this xtask.
pub(crate) fn cargo() -> Program {
    let mut program = program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    "cargo".clone_into(&mut program.shown);
    program
}

pub(crate) fn node() -> Program {
    program("node")
}

pub(crate) fn npm() -> Program {
    program(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

impl Program {
    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.shown.push(' ');
        self.shown.push_str(&short(argument.as_ref()));
        self.command.arg(argument);
        self
    }

    /// Several arguments in one string, separated by blanks.
    pub(crate) fn args(self, arguments: &str) -> Self {
        arguments.split_whitespace().fold(self, Self::arg)
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    pub(crate) fn folder(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Runs it, showing the command line and the output.
    pub(crate) fn run(mut self) -> Outcome {
        println!("$ {}", self.shown);
        let status = self
            .command
            .status()
            .map_err(|error| absent(&self.shown, &error))?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("`{}` failed ({status})", self.shown))
        }
    }

    /// Runs it and returns its standard output.
    pub(crate) fn read(mut self) -> Outcome<String> {
        let output = self
            .command
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| absent(&self.shown, &error))?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(format!("`{}` failed ({})", self.shown, output.status))
        }
    }
}

fn absent(shown: &str, error: &std::io::Error) -> String {
    format!("cannot start `{shown}`: {error}")
}

/// Paths below the workspace are shown relative to it.
fn short(text: &OsStr) -> String {
    let text = text.to_string_lossy();
    let root = format!("{}{}", root().display(), std::path::MAIN_SEPARATOR);
    text.replace(&root, "")
}

pub(crate) fn copy(from: &Path, to: &Path) -> Outcome {
    fs::copy(from, to).map(drop).map_err(|error| {
        format!(
            "cannot copy `{}` to `{}`: {error}",
            from.display(),
            to.display()
        )
    })
}

pub(crate) fn make_folder(folder: &Path) -> Outcome {
    fs::create_dir_all(folder)
        .map_err(|error| format!("cannot make the folder `{}`: {error}", folder.display()))
}

/// Makes `folder` an empty folder.
pub(crate) fn empty_folder(folder: &Path) -> Outcome {
    if folder.exists() {
        fs::remove_dir_all(folder)
            .map_err(|error| format!("cannot remove `{}`: {error}", folder.display()))?;
    }
    make_folder(folder)
}

/// The files directly in `folder` whose names end in `suffix`, sorted.
pub(crate) fn files(folder: &Path, suffix: &str) -> Outcome<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)
        .map_err(|error| format!("cannot list the folder `{}`: {error}", folder.display()))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && path.to_string_lossy().ends_with(suffix))
        .collect();
    found.sort();
    Ok(found)
}

/// `npm ci` in `folder`, left out while what is installed is what the lock file says.
pub(crate) fn npm_ci(folder: &str) -> Outcome {
    let lock = existing(
        &format!("{folder}/package-lock.json"),
        "it pins the npm tools",
    )?;
    let stamp = at(&format!("{folder}/node_modules/.firstseen-lock"));
    let wanted = fs::read(&lock).map_err(|error| format!("cannot read the lock file: {error}"))?;
    if fs::read(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(());
    }
    // Install scripts are left out: every tool here comes ready to run.
    npm()
        .args("ci --ignore-scripts --no-audit --no-fund")
        .folder(at(folder))
        .run()?;
    copy(&lock, &stamp)
}
