//! Python: which one, and its virtual environments below `target/venv`.

use crate::shell::{at, copy, empty_folder, existing, make_folder, program, Outcome, Program};
use std::fs;
use std::path::{Path, PathBuf};

/// The Python to use, as its path.
fn interpreter() -> Outcome<String> {
    let wanted = std::env::var("PYTHON").ok();
    let names = wanted
        .as_deref()
        .map_or(vec!["python3", "python"], |name| vec![name]);
    let probe = "import sys; print(sys.executable if sys.version_info >= (3, 10) else '')";
    for name in &names {
        if let Ok(path) = program(name).arg("-c").arg(probe).read() {
            if !path.trim().is_empty() {
                return Ok(path.trim().to_owned());
            }
        }
    }
    Err(format!(
        "no Python 3.10 or later under the names {names:?}: set PYTHON to its path"
    ))
}

/// A virtual environment.
pub(crate) struct Venv(PathBuf);

impl Venv {
    /// A program in it.
    pub(crate) fn program(&self, name: &str) -> Program {
        program(self.bin().join(name))
            .env("PATH", self.search_path())
            .env("VIRTUAL_ENV", &self.0)
    }

    pub(crate) fn python(&self) -> Program {
        self.program("python").env("PYTHONDONTWRITEBYTECODE", "1")
    }

    pub(crate) fn bin(&self) -> PathBuf {
        self.0.join(if cfg!(windows) { "Scripts" } else { "bin" })
    }

    fn search_path(&self) -> std::ffi::OsString {
        let rest = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(self.bin()).chain(std::env::split_paths(&rest));
        std::env::join_paths(all).unwrap_or(rest)
    }

    fn install(&self, requirements: &Path) -> Outcome {
        self.python()
            .args("-m pip install --quiet -r")
            .arg(requirements)
            .run()
    }
}

/// The environment of tools in `xtask/python/NAME.txt`, made anew when that file changes.
pub(crate) fn tools(name: &str) -> Outcome<Venv> {
    let requirements = existing(
        &format!("xtask/python/{name}.txt"),
        "it pins the Python tools",
    )?;
    let venv = Venv(at(&format!("target/venv/{name}")));
    let stamp = venv.0.join("firstseen-requirements.txt");
    let wanted = fs::read(&requirements).map_err(|error| format!("cannot read it: {error}"))?;
    if fs::read(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(venv);
    }
    create(&venv)?;
    venv.install(&requirements)?;
    copy(&requirements, &stamp)?;
    Ok(venv)
}

const WITH_WHEEL: &str = "target/venv/wheel";
const WHEEL_COPY: &str = "target/venv/wheel/firstseen.whl";

/// A clean environment that holds the built wheel, and the tools in `xtask/python/suite.txt`.
pub(crate) fn with_wheel(wheel: &Path) -> Outcome<Venv> {
    let venv = Venv(at(WITH_WHEEL));
    create(&venv)?;
    // Nothing but the file itself: a wheel that needs more than Python is a mistake.
    venv.python()
        .args("-m pip install --quiet --no-index --no-deps")
        .arg(wheel)
        .run()?;
    venv.install(&existing(
        "xtask/python/suite.txt",
        "it pins the Python tools",
    )?)?;
    copy(wheel, &at(WHEEL_COPY))?;
    Ok(venv)
}

/// The environment that the last `with_wheel` made, if it holds this wheel; else a new one.
pub(crate) fn holding(wheel: &Path) -> Outcome<Venv> {
    let now = fs::read(wheel).map_err(|error| format!("cannot read the wheel: {error}"))?;
    if fs::read(at(WHEEL_COPY)).is_ok_and(|then| then == now) {
        return Ok(Venv(at(WITH_WHEEL)));
    }
    with_wheel(wheel)
}

fn create(venv: &Venv) -> Outcome {
    make_folder(&at("target/venv"))?;
    empty_folder(&venv.0)?;
    program(interpreter()?).args("-m venv").arg(&venv.0).run()
}
