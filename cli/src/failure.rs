//! Why a run stops, and why a line is bad.

use std::fmt;
use std::io;

/// What ends a run before the end of its input.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The data: a bad line under `--on-bad fail`, a full window, headers that differ.
    Data(String),
    /// The way the program was called.
    Usage(String),
    /// Reading or writing.
    Io(String),
    /// Whoever read the output has gone: nothing is left to do, and nothing to say.
    BrokenPipe,
}

impl Failure {
    /// A failure to read or write what is called `name`.
    pub(crate) fn io(name: &str, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::BrokenPipe;
        }
        Self::Io(format!("io: {name}: {error}"))
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Data(_) => 1,
            Self::Usage(_) | Self::Io(_) => 2,
            // What a shell reports of a program that died of SIGPIPE.
            Self::BrokenPipe => 128 + 13,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(message) | Self::Usage(message) | Self::Io(message) => f.write_str(message),
            Self::BrokenPipe => f.write_str("io: broken pipe"),
        }
    }
}

/// Why a line is no event: a stable code and a message that never shows the id itself.
#[derive(Debug, PartialEq)]
pub(crate) struct Bad {
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl Bad {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}

impl From<firstseen::Error> for Bad {
    fn from(error: firstseen::Error) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl fmt::Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}
