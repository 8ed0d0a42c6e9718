//! Bytes of one file, with room for a record of any length.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use same_file::Handle;

use crate::failure::Failure;
use crate::show;

/// Small enough to stay in a core's cache between reading and looking, large enough that system calls do not show.
const CHUNK: usize = 256 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One file being read.
pub(crate) struct Input {
    pub(crate) name: String,
    source: Box<dyn Read>,
    /// Read and not yet taken: `start..end`.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
    /// Whether the very first bytes are yet to be looked at.
    fresh: bool,
    /// How many bytes were read.
    pub(crate) read: u64,
}

/// What a file is called in messages.
pub(crate) fn name(path: &Path) -> String {
    if is_dash(path) {
        "stdin".to_owned()
    } else {
        show::name(&path.display().to_string())
    }
}

/// Whether a path is the `-` that stands for standard input or output.
pub(crate) fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether everything can be read, before anything is.
pub(crate) fn check(files: &[PathBuf]) -> Result<(), Failure> {
    for path in files {
        let metadata = if is_dash(path) {
            Handle::stdin().and_then(|handle| handle.as_file().metadata())
        } else {
            path.metadata()
        };
        let metadata = metadata.map_err(|error| Failure::io(&name(path), &error))?;
        if metadata.is_dir() {
            return Err(Failure::Usage(format!("{} is a directory", name(path))));
        }
        // Only regular files: a named pipe opens when it is its turn, and whoever writes to it would see it closed.
        if metadata.is_file() && !is_dash(path) {
            File::open(path).map_err(|error| Failure::io(&name(path), &error))?;
        }
    }
    Ok(())
}

/// Whether nothing that is read is among the files written.
///
/// Opens one file at a time: there may be more than can be open at once.
pub(crate) fn check_unwritten(files: &[PathBuf], written: &[Handle]) -> Result<(), Failure> {
    for path in files {
        let handle = match is_dash(path) {
            true => Handle::stdin(),
            false if path.is_file() => Handle::from_path(path),
            false => continue,
        };
        if handle.is_ok_and(|handle| written.contains(&handle)) {
            return Err(Failure::Usage(format!(
                "{} is to be read, but is also written",
                name(path)
            )));
        }
    }
    Ok(())
}

impl Input {
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let name = name(path);
        let source: Box<dyn Read> = if is_dash(path) {
            Box::new(io::stdin().lock())
        } else {
            Box::new(File::open(path).map_err(|error| Failure::io(&name, &error))?)
        };
        Ok(Self::new(name, source))
    }

    fn new(name: String, source: Box<dyn Read>) -> Self {
        Self {
            name,
            source,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            ended: false,
            fresh: true,
            read: 0,
        }
    }

    /// What was read and not yet taken.
    #[inline]
    pub(crate) fn data(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// Whether nothing is left to read; what was read may still have to be taken.
    #[inline]
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// Takes the first bytes of what was read.
    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> &[u8] {
        let start = self.start;
        self.start = self.end.min(start + length);
        self.buffer.get(start..self.start).unwrap_or_default()
    }

    /// Reads more. Blocks until at least a byte came or the file ended.
    pub(crate) fn fill(&mut self) -> Result<(), Failure> {
        self.make_room()?;
        loop {
            let room = self.buffer.get_mut(self.end..).unwrap_or_default();
            match self.source.read(room) {
                Ok(0) => self.ended = true,
                Ok(count) => {
                    self.end += count;
                    self.read += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Failure::io(&self.name, &error)),
            }
            // The mark is three bytes: fewer cannot be judged yet.
            if self.fresh
                && !self.ended
                && self.end < BYTE_ORDER_MARK.len()
                && BYTE_ORDER_MARK.starts_with(self.data())
            {
                continue;
            }
            if self.fresh && self.data().starts_with(BYTE_ORDER_MARK) {
                self.start = BYTE_ORDER_MARK.len();
            }
            self.fresh = false;
            return Ok(());
        }
    }

    /// Moves what is not yet taken to the front, and doubles the buffer if that leaves it half full.
    fn make_room(&mut self) -> Result<(), Failure> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let capacity = CHUNK.max(2 * self.end);
        if let Some(more) = capacity.checked_sub(self.buffer.len()) {
            if self.buffer.try_reserve_exact(more).is_err() {
                let message = format!(
                    "out_of_memory: {}: a line has more than {} bytes",
                    self.name, self.end
                );
                return Err(Failure::Io(message));
            }
            self.buffer.resize(capacity, 0);
        }
        Ok(())
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Trickle(Vec<u8>);

    impl Read for Trickle {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let byte = self.0.remove(0);
            *room.first_mut().unwrap() = byte;
            Ok(1)
        }
    }

    fn all(bytes: &[u8]) -> Vec<u8> {
        let mut input = Input::new("test".to_owned(), Box::new(Trickle(bytes.to_vec())));
        while !input.ended() {
            input.fill().unwrap();
        }
        input.data().to_vec()
    }

    #[test]
    fn a_byte_order_mark_is_dropped_and_nothing_else() {
        assert_eq!(all(b"\xef\xbb\xbfa\xef\xbb\xbf"), b"a\xef\xbb\xbf");
        assert_eq!(all(b"\xef\xbb\xbf"), b"");
        for other in [
            &b""[..],
            b"a",
            b"\xef",
            b"\xef\xbb",
            b"\xef\xbba",
            b"\xefabc",
        ] {
            assert_eq!(all(other), other);
        }
    }

    #[test]
    fn a_record_larger_than_the_buffer_is_kept_whole() {
        let bytes: Vec<u8> = (0..3 * CHUNK).map(|index| index as u8).collect();
        let mut input = Input::new("test".to_owned(), Box::new(io::Cursor::new(bytes.clone())));
        input.fill().unwrap();
        assert_eq!(input.take(10), bytes.get(..10).unwrap());
        while !input.ended() {
            input.fill().unwrap();
        }
        assert_eq!(input.data(), bytes.get(10..).unwrap());
        assert_eq!(input.read, bytes.len() as u64);
    }
}
