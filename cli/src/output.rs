//! Where events are written, as they came.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use same_file::Handle;

use crate::failure::Failure;
use crate::input::{is_dash, name};

const CAPACITY: usize = 256 * 1024;

/// One file, or standard output.
pub(crate) struct Output {
    name: String,
    /// Where it goes; none until [`Output::begin`], until which all that is written waits.
    sink: Option<Box<dyn Write>>,
    /// The file opened and yet as it was.
    held: Option<File>,
    /// The file's path, if it was not there before: it goes again if nothing was begun.
    made: Option<PathBuf>,
    pending: Vec<u8>,
    /// Whether what was written last lacked its line end: only a file's last line may.
    open: bool,
}

impl Output {
    /// Opens a file that must not be one of those in use, and is left as it is for now.
    pub(crate) fn create(path: &Path, in_use: &mut Vec<Handle>) -> Result<Self, Failure> {
        if is_dash(path) {
            return Err(Failure::Usage(
                "only `--output` can be `-`; for a file of that name write `./-`".to_owned(),
            ));
        }
        let name = name(path);
        if path.is_dir() {
            return Err(Failure::Usage(format!("{name} is a directory")));
        }
        let failure = |error: io::Error| Failure::io(&name, &error);
        let (file, made) = open(path).map_err(failure)?;
        let handle = file.try_clone().and_then(Handle::from_file);
        let mut output = Self::new(name.clone(), None);
        output.held = Some(file);
        output.made = made.then(|| path.to_owned());
        let handle = handle.map_err(failure)?;
        if is_file(&handle) {
            if in_use.contains(&handle) {
                return Err(Failure::Usage(format!(
                    "{name} is to be written, but is another output too, or where `>` or `2>` leads"
                )));
            }
            in_use.push(handle);
        }
        Ok(output)
    }

    /// Standard output. If it is not open for writing, that is an error now.
    ///
    /// If it was closed, that goes unnoticed: the runtime then opens `/dev/null` in its place before `main`, for reading and
    /// writing, just as many programs do for a child whose output they do not want.
    pub(crate) fn stdout() -> Result<Self, Failure> {
        let name = "stdout".to_owned();
        let sink = standard().map_err(|error| Failure::io(&name, &error))?;
        Ok(Self::new(name, Some(sink)))
    }

    fn new(name: String, sink: Option<Box<dyn Write>>) -> Self {
        Self {
            name,
            sink,
            held: None,
            made: None,
            pending: Vec::with_capacity(CAPACITY),
            open: false,
        }
    }

    /// Empties the file: from now on it is written.
    pub(crate) fn begin(&mut self) -> Result<(), Failure> {
        let Some(file) = self.held.take() else {
            return Ok(());
        };
        self.made = None;
        // Pipes and devices have no length.
        let emptied = match file.metadata() {
            Ok(metadata) if metadata.is_file() => file.set_len(0),
            other => other.map(drop),
        };
        emptied.map_err(|error| Failure::io(&self.name, &error))?;
        self.sink = Some(Box::new(file));
        Ok(())
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
        match &mut self.sink {
            Some(sink) if record.len() > CAPACITY => sink
                .write_all(record)
                .map_err(|error| Failure::io(&self.name, &error)),
            _ => {
                self.pending.extend_from_slice(record);
                Ok(())
            }
        }
    }

    fn drain(&mut self) -> Result<(), Failure> {
        if let Some(sink) = self.sink.as_mut().filter(|_| !self.pending.is_empty()) {
            let written = sink.write_all(&self.pending);
            // Also after a failure: a second try could write something twice.
            self.pending.clear();
            written.map_err(|error| Failure::io(&self.name, &error))?;
        }
        Ok(())
    }

    /// Hands over all that was written, so that a reader need not wait for more.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.drain()?;
        let flushed = self.sink.as_mut().map_or(Ok(()), |sink| sink.flush());
        flushed.map_err(|error| Failure::io(&self.name, &error))
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        let (Some(path), Some(file)) = (self.made.take(), self.held.take()) else {
            return;
        };
        // Somebody may have replaced or filled it meanwhile.
        let empty = file.metadata().is_ok_and(|metadata| metadata.len() == 0);
        let ours = Handle::from_file(file).ok();
        if empty && ours.is_some() && ours == Handle::from_path(&path).ok() {
            drop(ours);
            // It is empty, so that little is lost if it stays.
            let _ = fs::remove_file(path);
        }
    }
}

/// Opens a file for writing without emptying it; and whether it was made.
fn open(path: &Path) -> io::Result<(File, bool)> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => Ok((file, true)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let mut options = OpenOptions::new();
            // May yet have to be created, where a link leads.
            options.write(true).create(true).truncate(false);
            Ok((options.open(path)?, false))
        }
        Err(error) => Err(error),
    }
}

/// Not the library's `stdout`, which takes writing to a descriptor that is open for reading only for success.
#[cfg(unix)]
fn standard() -> io::Result<Box<dyn Write>> {
    use std::os::fd::AsFd;
    let mut file = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let _nothing = file.write(&[])?;
    Ok(Box::new(file))
}

#[cfg(not(unix))]
fn standard() -> io::Result<Box<dyn Write>> {
    Ok(Box::new(io::stdout().lock()))
}

/// The files that standard output and standard error go to.
pub(crate) fn standard_files() -> Vec<Handle> {
    let handles = [Handle::stdout(), Handle::stderr()];
    handles.into_iter().flatten().filter(is_file).collect()
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
        let mut output = Output::new("test".to_owned(), Some(Box::new(shared.clone())));
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
        let mut output = Output::new("test".to_owned(), Some(Box::new(shared.clone())));
        output.write(b"a").unwrap();
        output.write(b"b\n").unwrap();
        output.write(b"c").unwrap();
        output.flush().unwrap();
        assert_eq!(*shared.0.borrow(), b"a\nb\nc");
    }
}
