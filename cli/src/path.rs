//! Where in a JSON value something stands: `data.object.id`, `items.0.id`, or a JSON Pointer such as `/a.b/id`.

/// Splits a path into its steps; no steps mean the whole value.
///
/// A path that starts with `/` is a JSON Pointer (RFC 6901), which can name any key. Else steps are separated by dots, and one
/// leading dot is allowed, as in `jq`; `.` alone is the whole value.
pub(crate) fn parse(text: &str) -> Result<Vec<String>, String> {
    if let Some(pointer) = text.strip_prefix('/') {
        return pointer.split('/').map(unescape).collect();
    }
    if text == "." {
        return Ok(Vec::new());
    }
    let dotted = text.strip_prefix('.').unwrap_or(text);
    if dotted.split('.').any(str::is_empty) {
        return Err(format!(
            "`{text}` has an empty step; accepted: keys and array indices with dots between them, such as `data.id`, \
             or a JSON Pointer, such as `/a.b/id`"
        ));
    }
    Ok(dotted.split('.').map(str::to_owned).collect())
}

/// Reads `~0` as `~` and `~1` as `/`.
fn unescape(step: &str) -> Result<String, String> {
    let mut parts = step.split('~');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (escaped, rest) = match (part.strip_prefix('0'), part.strip_prefix('1')) {
            (Some(rest), _) => ('~', rest),
            (_, Some(rest)) => ('/', rest),
            _ => {
                return Err(format!(
                    "`/{step}` has a `~` that is neither `~0` (for `~`) nor `~1` (for `/`)"
                ))
            }
        };
        text.push(escaped);
        text.push_str(rest);
    }
    Ok(text)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn paths_are_split_into_steps() {
        for (text, steps) in [
            ("id", &["id"][..]),
            (".id", &["id"]),
            ("data.object.id", &["data", "object", "id"]),
            ("items.0.id", &["items", "0", "id"]),
            ("/data/object/id", &["data", "object", "id"]),
            ("/a.b/id", &["a.b", "id"]),
            ("/a~1b/m~0n/~01", &["a/b", "m~n", "~1"]),
            ("/", &[""]),
            ("/a//b", &["a", "", "b"]),
            (".", &[]),
            ("a/b", &["a/b"]),
        ] {
            assert_eq!(parse(text).unwrap(), steps, "{text}");
        }
        for text in ["", "..", "a..b", "a.", "..a", "/a~2", "/~"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
