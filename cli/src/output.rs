//! Where events are written, as they came.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use same_file::Handle;

use crate::failure::Failure;
use crate::input::is_dash;

const CAPACITY: usize = 256 * 1024;

/// One file, or standard output.
pub(crate) struct Output {
    name: String,
    sink: Box<dyn Write>,
    pending: Vec<u8>,
    /// Whether what was written last lacked its line end: only a file's last line may.
    open: bool,
}

impl Output {
    /// Creates a file that must not be one of those in use.
    pub(crate) fn create(path: &Path, in_use: &mut Vec<Handle>) -> Result<Self, Failure> {
        let name = path.display().to_string();
        if is_dash(path) {
            return Err(Failure::Usage(
                "only `--output` can be `-`; for a file of that name write `./-`".to_owned(),
            ));
        }
        // Opening for writing empties a file: look before.
        // Only of regular files: opening a named pipe would wait for its other end.
        if path.is_file() && Handle::from_path(path).is_ok_and(|handle| in_use.contains(&handle)) {
            return Err(Failure::Usage(format!(
                "{name} is to be written, but also read or written otherwise"
            )));
        }
        let file = File::create(path).map_err(|error| Failure::io(&name, &error))?;
        if path.is_file() {
            in_use.extend(Handle::from_path(path));
        }
        Ok(Self::new(name, Box::new(file)))
    }

    /// Standard output, which must not be one of the files read either.
    pub(crate) fn stdout(in_use: &[Handle]) -> Result<Self, Failure> {
        if Handle::stdout().is_ok_and(|handle| is_file(&handle) && in_use.contains(&handle)) {
            return Err(Failure::Usage(
                "a file is to be read and, by standard output, written".to_owned(),
            ));
        }
        Ok(Self::new(
            "stdout".to_owned(),
            Box::new(io::stdout().lock()),
        ))
    }

    fn new(name: String, sink: Box<dyn Write>) -> Self {
        Self {
            name,
            sink,
            pending: Vec::with_capacity(CAPACITY),
            open: false,
        }
    }

    /// Writes a record, with a line end before it if the one before has none.
    #[inline]
    pub(crate) fn write(&mut self, record: &[u8]) -> Result<(), Failure> {
        if self.open {
            self.pending.push(b'\n');
        }
        self.open = record.last() != Some(&b'\n');
        if self.pending.len() + record.len() > CAPACITY {
            return self.write_through(record);
        }
        self.pending.extend_from_slice(record);
        Ok(())
    }

    #[cold]
    fn write_through(&mut self, record: &[u8]) -> Result<(), Failure> {
        self.drain()?;
        if record.len() > CAPACITY {
            return self
                .sink
                .write_all(record)
                .map_err(|error| Failure::io(&self.name, &error));
        }
        self.pending.extend_from_slice(record);
        Ok(())
    }

    fn drain(&mut self) -> Result<(), Failure> {
        if !self.pending.is_empty() {
            let written = self.sink.write_all(&self.pending);
            // Also after a failure: a second try could write something twice.
            self.pending.clear();
            written.map_err(|error| Failure::io(&self.name, &error))?;
        }
        Ok(())
    }

    /// Hands over all that was written, so that a reader need not wait for more.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.drain()?;
        self.sink
            .flush()
            .map_err(|error| Failure::io(&self.name, &error))
    }
}

/// Pipes, terminals and `/dev/null` may be read and written at once.
fn is_file(handle: &Handle) -> bool {
    handle
        .as_file()
        .metadata()
        .is_ok_and(|metadata| metadata.is_file())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;

    #[derive(Clone, Default)]
    struct Shared(Rc<RefCell<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn records_come_in_order_whatever_their_length() {
        let shared = Shared::default();
        let mut output = Output::new("test".to_owned(), Box::new(shared.clone()));
        let mut expected = Vec::new();
        for length in [3, CAPACITY, 5, 2 * CAPACITY, 1, CAPACITY - 1, CAPACITY - 1] {
            let mut record = vec![b'x'; length];
            record.push(b'\n');
            output.write(&record).unwrap();
            expected.extend(record);
        }
        output.flush().unwrap();
        assert_eq!(*shared.0.borrow(), expected);
    }

    #[test]
    fn a_missing_line_end_is_added_only_before_another_record() {
        let shared = Shared::default();
        let mut output = Output::new("test".to_owned(), Box::new(shared.clone()));
        output.write(b"a").unwrap();
        output.write(b"b\n").unwrap();
        output.write(b"c").unwrap();
        output.flush().unwrap();
        assert_eq!(*shared.0.borrow(), b"a\nb\nc");
    }
}
