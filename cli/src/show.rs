//! Text that others wrote, in messages: it must neither steer a terminal nor look like a line of its own.

/// A name with every character escaped that is not plainly visible.
pub(crate) fn name(text: &str) -> String {
    escape(text, |_| false)
}

/// A whole message, which may have several lines.
pub(crate) fn message(text: &str) -> String {
    escape(text, |character| character == '\n')
}

fn escape(text: &str, allowed: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if steers(character) && !allowed(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Control characters, and those that break lines or turn the direction of what follows.
fn steers(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_escaped_and_nothing_else() {
        assert_eq!(
            name("a\u{1b}[31m\n\u{9b}\u{202e}b"),
            "a\\u{1b}[31m\\n\\u{9b}\\u{202e}b"
        );
        assert_eq!(message("a\n\r\tb"), "a\n\\r\\tb");
        for same in ["", "ключ é", "C:\\a \"b\" 'c'"] {
            assert_eq!(name(same), same);
        }
    }
}
