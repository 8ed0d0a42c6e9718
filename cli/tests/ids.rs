//! Which lines are one event.

mod common;

use common::run;

#[test]
fn each_event_is_printed_the_first_time_as_it_came() {
    let input = "{\"id\": \"a\"}\n {\"x\":1,\"id\":\"b\"}\t\n{\"id\":\"a\",\"more\":true}\n{ \"id\":\"\\u0061\" }\n";
    let ran = run("--id id --window 10m", input).ok();
    assert_eq!(ran.stdout, "{\"id\": \"a\"}\n {\"x\":1,\"id\":\"b\"}\t\n");
    ran.counts(&[
        ("lines", 4),
        ("first", 2),
        ("duplicate", 2),
        ("held", 2),
        ("evicted", 0),
    ]);
    assert_eq!(ran.figure("window"), "10m");
    assert_eq!(ran.figure("bucket"), "10s");
    assert_eq!(ran.figure("clock"), "steady");
}

#[test]
fn a_number_and_a_text_are_two_ids() {
    let input = "{\"id\":7}\n{\"id\":\"7\"}\n{\"id\":7}\n{\"id\":\"7\"}\n{\"id\":18446744073709551615}\n{\"id\":0}\n";
    let ran = run("--id id --window 10m", input).ok();
    ran.counts(&[("first", 4), ("duplicate", 2)]);
}

#[test]
fn what_is_no_id_is_bad_and_says_why() {
    for (id, code) in [
        ("null", "invalid_id: the id is null"),
        ("true", "invalid_id: the id is a boolean"),
        ("1.5", "invalid_id: the id is a float"),
        ("7.0", "invalid_id: the id is a float"),
        ("-7", "invalid_id: the id is a negative integer"),
        (
            "18446744073709551616",
            "invalid_id: the id is an integer out of range",
        ),
        ("{}", "invalid_id: the id is an object"),
        ("[]", "invalid_id: "),
        ("[[\"a\"]]", "invalid_id: the id is a nested list"),
        ("[\"\",null]", "invalid_id: the id is null"),
        ("\"\"", "empty_id: "),
        ("[\"\",\"\"]", "empty_id: "),
        ("\"\\ud800\"", "invalid_text: "),
    ] {
        let ran = run("--id id --window 10m", format!("{{\"id\":{id}}}\n"));
        let ran = ran.stopped(1, &format!("firstseen: stdin:1: {code}"));
        assert_eq!(ran.stdout, "");
        ran.counts(&[("lines", 1), ("bad", 1)]);
    }
    run("--id a.id --window 10m", "{\"id\":1}\n").stopped(1, "invalid_id: the line has no `a.id`");
}

#[test]
fn messages_never_show_an_id() {
    let ran = run(
        "--id id --window 10m --on-bad drop",
        "{\"id\":-31337}\n{\"id\":[\"hunter2\",null]}\n{\"id\":\"hunter2\"\n",
    )
    .ok();
    assert!(
        !ran.stderr.contains("31337") && !ran.stderr.contains("hunter2"),
        "{ran:?}"
    );
}

#[test]
fn several_ids_make_a_composite() {
    let input = "{\"t\":\"a\",\"n\":\"bc\"}\n{\"t\":\"ab\",\"n\":\"c\"}\n{\"n\":\"bc\",\"t\":\"a\"}\n{\"t\":\"\",\"n\":1}\n";
    let ran = run("--id t --id n --window 10m", input).ok();
    ran.counts(&[("first", 3), ("duplicate", 1)]);
    // An array is the same composite as the fields one by one, and cannot be a part of another.
    let input = "{\"t\":[\"a\",1]}\n{\"t\":[\"a\",\"1\"]}\n{\"t\":[\"a\",1]}\n{\"t\":\"a\"}\n{\"t\":[\"a\"]}\n";
    run("--id t --window 10m", input)
        .ok()
        .counts(&[("first", 4), ("duplicate", 1)]);
    run("--id t --id t --window 10m", input).stopped(1, "invalid_id: the id is a list");
}

#[test]
fn paths_name_what_stands_deep() {
    let input = "{\"data\":{\"items\":[{\"id\":1}],\"a.b\":1}}\n{\"data\":{\"items\":[{\"id\":2}],\"a.b\":1}}\n";
    for (path, first) in [
        ("data.items.0.id", 2),
        (".data.items.0.id", 2),
        ("/data/items/0/id", 2),
        ("/data/a.b", 1),
    ] {
        let ran = run(&format!("--id {path} --window 10m"), input).ok();
        ran.counts(&[("first", first)]);
    }
    run("--id . --window 10m", "\"a\"\n7\n\"a\"\n")
        .ok()
        .counts(&[("first", 2), ("duplicate", 1)]);
    run("--id a..b --window 10m", "").stopped(2, "firstseen: `a..b` has an empty step");
}

#[test]
fn a_line_is_an_id_by_its_bytes() {
    let ran = run(
        "--format lines --window 10m",
        b"a\nb\n\na\nb \n\xff\n\xfe\n\xff\n",
    );
    let ran = ran.ok();
    ran.counts(&[("lines", 8), ("first", 5), ("duplicate", 2), ("blank", 1)]);
}

#[test]
fn line_ends_do_not_belong_to_an_id_and_are_preserved() {
    let ran = run("--format lines --window 10m", "a\r\nb\n\r\na\nb\r\nc").ok();
    assert_eq!(ran.stdout, "a\r\nb\nc");
    ran.counts(&[("lines", 6), ("first", 3), ("duplicate", 2), ("blank", 1)]);
    let ran = run(
        "--id id --window 10m",
        "{\"id\":1}\r\n  \r\n\n{\"id\":1}\n{\"id\":2}",
    )
    .ok();
    assert_eq!(ran.stdout, "{\"id\":1}\r\n{\"id\":2}");
    ran.counts(&[("lines", 5), ("first", 2), ("duplicate", 1), ("blank", 2)]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_event() {
    let ran = run("--id id --window 10m", "\u{feff}{\"id\":1}\n{\"id\":1}\n").ok();
    assert_eq!(ran.stdout, "{\"id\":1}\n");
}
