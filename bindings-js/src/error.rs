//! An error as the facade takes it.

use alloc::string::String;
use core::fmt::Write;

use firstseen::Error;

/// The code, a line break, the message. The facade puts JavaScript's names into it.
pub(crate) fn text(error: &Error) -> String {
    let mut text = String::from(error.code());
    // Writing to a `String` cannot fail.
    let _ = write!(text, "\n{error}");
    text
}
