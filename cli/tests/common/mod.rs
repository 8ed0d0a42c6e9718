//! Runs the built program in a folder of its own.

#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static FOLDERS: AtomicU32 = AtomicU32::new(0);

/// A temporary folder, removed when dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("firstseen-cli-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        String::from_utf8(fs::read(self.0.join(name)).unwrap()).unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }

    /// `firstseen dedupe` with these arguments, split at blanks, run in this folder.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_firstseen"));
        command
            .arg("dedupe")
            .args(arguments.split_whitespace())
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &str, stdin: impl AsRef<[u8]>) -> Ran {
        Self::feed(&mut self.command(arguments), stdin)
    }

    /// Runs a command, which may have its standard streams redirected.
    pub(crate) fn feed(command: &mut Command, stdin: impl AsRef<[u8]>) -> Ran {
        let mut child = command.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let stdin = stdin.as_ref().to_vec();
        // In a thread: the program may stop reading, or wait until its output is read.
        let feeder = thread::spawn(move || {
            let _ = pipe.write_all(&stdin);
        });
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        Ran::new(output)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    fn new(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// A number or a duration of the summary, as it is written.
    #[track_caller]
    pub(crate) fn figure(&self, name: &str) -> &str {
        let lines = self.stderr.lines();
        let mut values = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        values.next().unwrap().trim()
    }

    /// Checks the counts given, and that all of them add up to the lines.
    #[track_caller]
    pub(crate) fn counts(&self, expected: &[(&str, u64)]) {
        let number = |name: &str| self.figure(name).parse::<u64>().unwrap();
        for (name, count) in expected {
            assert_eq!(number(name), *count, "{name} in {self:?}");
        }
        let parts = ["first", "duplicate", "late", "bad", "blank", "rejected"];
        let sum: u64 = parts.iter().map(|name| number(name)).sum();
        assert_eq!(number("lines"), sum, "{self:?}");
    }

    /// Checks that it went well.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Checks that it stopped so, with this on standard error.
    #[track_caller]
    pub(crate) fn stopped(self, code: i32, message: &str) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert!(self.stderr.contains(message), "{self:?}");
        self
    }
}

/// Runs the program in a folder that nobody needs afterwards.
pub(crate) fn run(arguments: &str, stdin: impl AsRef<[u8]>) -> Ran {
    Folder::new().run(arguments, stdin)
}
