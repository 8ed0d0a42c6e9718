//! An error as the facade takes it.

use core::fmt::{self, Write};

use firstseen::Error;

/// Writes the code, a line break, the message, as far as there is room; returns their length. The facade puts JavaScript's
/// names into it. Allocates nothing: the error may be that there is no memory.
pub(crate) fn write(error: &Error, to: &mut [u8]) -> usize {
    write_text(format_args!("{}\n{error}", error.code()), to)
}

/// Writes a text as far as there is room; returns its length.
pub(crate) fn write_text(text: fmt::Arguments<'_>, to: &mut [u8]) -> usize {
    let mut place = Place { to, length: 0 };
    // It cannot fail.
    let _ = place.write_fmt(text);
    place.length
}

struct Place<'a> {
    to: &'a mut [u8],
    length: usize,
}

impl Write for Place<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let rest = self.to.get_mut(self.length..).unwrap_or_default();
        for (place, byte) in rest.iter_mut().zip(text.bytes()) {
            *place = byte;
            self.length += 1;
        }
        Ok(())
    }
}
