#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::path;

fn read<'a>(paths: &[&str], line: &'a str) -> Result<Vec<Value<'a>>, Bad> {
    let mut tree = Tree::default();
    let slots: Vec<usize> = paths
        .iter()
        .map(|text| tree.add(&path::parse(text).unwrap()))
        .collect();
    let mut fields = Fields::new(Vec::new(), tree.slots());
    fields.read(&tree, line)?;
    Ok(slots.iter().map(|slot| fields.get(*slot).clone()).collect())
}

fn one<'a>(path: &str, line: &'a str) -> Value<'a> {
    read(&[path], line).unwrap().remove(0)
}

fn text(text: &str) -> Value<'_> {
    Value::Text(text.into())
}

#[test]
fn values_are_found_wherever_they_stand() {
    assert_eq!(
        one("id", r#"{"a":[1,{"id":2}],"id":"x","b":{}}"#),
        text("x")
    );
    assert_eq!(
        one("data.object.id", r#"{"data":{"object":{"id":7}}}"#),
        Value::Integer(7)
    );
    assert_eq!(
        one("items.1.id", r#"{"items":[{"id":1},{"id":2},{"id":3}]}"#),
        Value::Integer(2)
    );
    assert_eq!(one("items.0", r#"{"items":{"0":"key"}}"#), text("key"));
    assert_eq!(one("items.00", r#"{"items":["a"]}"#), Value::Missing);
    assert_eq!(one("/a.b/c~1d", r#"{"a.b":{"c/d":1}}"#), Value::Integer(1));
    assert_eq!(one(".", r#""whole""#), text("whole"));
    assert_eq!(one("0", "[5]"), Value::Integer(5));
    assert_eq!(one("id", "5"), Value::Missing);
    assert_eq!(one("a.b", r#"{"a":5}"#), Value::Missing);
    assert_eq!(
        one("ключ", r#"{"\u043a\u043b\u044e\u0447":"\u0061\n"}"#),
        text("a\n")
    );
}

#[test]
fn every_kind_is_told_apart() {
    for (json, value) in [
        ("18446744073709551615", Value::Integer(u64::MAX)),
        (
            "18446744073709551616",
            Value::Float(18_446_744_073_709_551_616.0),
        ),
        ("-1", Value::Negative),
        ("1.0", Value::Float(1.0)),
        ("1e3", Value::Float(1000.0)),
        ("true", Value::Boolean),
        ("null", Value::Null),
        ("{}", Value::Object),
        ("[]", Value::List(vec![])),
        (
            r#"["a",1,null]"#,
            Value::List(vec![text("a"), Value::Integer(1), Value::Null]),
        ),
        (
            r#"[[1],{"a":1}]"#,
            Value::List(vec![Value::List(vec![]), Value::Object]),
        ),
    ] {
        assert_eq!(one("id", &format!(r#"{{"id":{json}}}"#)), value, "{json}");
    }
}

#[test]
fn paths_may_overlap() {
    let line = r#"{"a":["x",{"b":2}]}"#;
    let found = read(&["a", "a.0", "a.1.b", "a", "a.1"], line).unwrap();
    let list = Value::List(vec![text("x"), Value::Object]);
    assert_eq!(
        found,
        [
            list.clone(),
            text("x"),
            Value::Integer(2),
            list,
            Value::Object
        ]
    );
}

#[test]
fn of_a_key_that_comes_twice_the_last_counts() {
    assert_eq!(one("id", r#"{"id":1,"id":2}"#), Value::Integer(2));
    assert_eq!(one("a.id", r#"{"a":{"id":1},"a":{}}"#), Value::Missing);
    assert_eq!(one("a.id", r#"{"a":{"id":1},"a":5}"#), Value::Missing);
    assert_eq!(one("a.id", r#"{"a":5,"a":{"id":1}}"#), Value::Integer(1));
}

#[test]
fn the_whole_line_must_be_json() {
    for line in [
        "{",
        "nope",
        r#"{"id":1"#,
        r#"{"id":1}x"#,
        r#"{"id":1}{"id":2}"#,
        r#"{"id":1,}"#,
        r#"{'id':1}"#,
        r#"{"id":1,"a":tru}"#,
        r#"{"id":1,"a":01}"#,
        r#"{"id":1,"a":"\x"}"#,
        "{\"id\":1,\"a\":\"\t\"}",
        r#"{"id":NaN}"#,
    ] {
        assert_eq!(
            read(&["id"], line).unwrap_err().code,
            "invalid_json",
            "{line}"
        );
    }
    assert_eq!(
        read(&["id"], r#"{"id":"\ud800"}"#).unwrap_err().code,
        "invalid_text"
    );
    assert_eq!(
        read(&["id"], r#"{"id":[1,2"#).unwrap_err().message,
        "EOF while parsing a list at column 10"
    );
}

#[test]
fn depth_is_no_danger() {
    let deep = format!(
        r#"{{"a":{}{},"id":1}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert_eq!(one("id", &deep), Value::Integer(1));
    let deep = format!(r#"{{"id":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(one("id", &deep), Value::List(_)));
}
