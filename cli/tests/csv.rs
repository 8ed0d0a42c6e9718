//! CSV: columns, quotes, headers.

mod common;

use common::{run, Folder};

#[test]
fn columns_are_named_by_the_header_which_is_printed_once() {
    let folder = Folder::new();
    folder.write("one", "id,name\r\n1,\"a, \"\"b\"\"\nc\"\r\n2,x\r\n");
    folder.write("two", "id,name\n\"1\",again\n\n3,\"y\"");
    let ran = folder
        .run(
            "one two --format csv --id id --window 10m --duplicates again",
            "",
        )
        .ok();
    assert_eq!(
        ran.stdout,
        "id,name\r\n1,\"a, \"\"b\"\"\nc\"\r\n2,x\r\n3,\"y\""
    );
    assert_eq!(folder.read("again"), "id,name\r\n\"1\",again\n");
    ran.counts(&[("lines", 5), ("first", 3), ("duplicate", 1), ("blank", 1)]);
}

#[test]
fn columns_are_also_numbered() {
    let input = "id,when,#1\na,100,x\na,161,y\nb,161,x\n";
    for (arguments, first) in [
        ("--id #2", 2),
        ("--id #1", 2),
        ("--id id --id when", 3),
        ("--id id --time #2", 3),
    ] {
        // The name `#1` goes before the number.
        let ran = run(&format!("--format csv --window 60s {arguments}"), input).ok();
        ran.counts(&[("lines", 3), ("first", first)]);
    }
    let ran = run(
        "--format csv --window 60s --no-header --id #1",
        "a,1\na,2\nb,3\n",
    )
    .ok();
    assert_eq!(ran.stdout, "a,1\nb,3\n");
    let ran = run(
        "--format csv --window 60s --id id --delimiter \\t",
        "id\tx\na,1\t2\na\t2\na,1\t3\n",
    )
    .ok();
    assert_eq!(ran.stdout, "id\tx\na,1\t2\na\t2\n");
}

#[test]
fn columns_that_cannot_be_found_are_refused() {
    let input = "id,a,a\n1,2,3\n";
    for (arguments, message) in [
        ("--id key", "the header has no column `key`; accepted: `id`, `a`, `a`, or a number from `#1` to `#3`"),
        ("--id a", "the header has more than one column `a`; accepted: its number, such as `#2`"),
        ("--id #4", "the header has no column `#4`"),
        ("--id #0", "the header has no column `#0`"),
        ("--no-header --id id", "`id` is no column of CSV without a header"),
    ] {
        let ran = run(&format!("--format csv --window 10m {arguments}"), input).stopped(2, message);
        assert_eq!(ran.stdout, "");
    }
}

#[test]
fn records_that_do_not_fit_are_bad_by_line_number() {
    let input = "id,text\n1,\"two\nlines\"\n2\n3,a,b\n,x\n4,ok\n";
    let ran = run("--format csv --id id --window 10m --on-bad drop", input).ok();
    assert!(
        ran.stderr
            .contains("stdin:4: invalid_csv: the record has 1 fields; accepted: 2"),
        "{ran:?}"
    );
    assert!(
        ran.stderr
            .contains("stdin:5: invalid_csv: the record has 3 fields"),
        "{ran:?}"
    );
    assert!(ran.stderr.contains("stdin:6: empty_id: "), "{ran:?}");
    assert_eq!(ran.stdout, "id,text\n1,\"two\nlines\"\n4,ok\n");
    ran.counts(&[("lines", 5), ("first", 2), ("bad", 3)]);
    run("--format csv --no-header --id #3 --window 10m", "a,b\n").stopped(1, "no column `#3`");
}

#[test]
fn an_open_quote_does_not_swallow_the_rest_in_silence() {
    let input = "id,text\n1,a\n2,\"open\n1,a\n3,b\n";
    let ran = run("--format csv --id id --window 10m", input);
    let message =
        "stdin:3: invalid_csv: a quoted field is not closed: it takes all the rest of the file; \
                   the record takes 3 lines\n";
    ran.stopped(1, message)
        .counts(&[("lines", 2), ("first", 1), ("bad", 1), ("bad lines", 3)]);
    let ran = run("--format csv --id id --window 10m --on-bad pass", input).ok();
    assert_eq!(ran.stdout, input);
}

#[test]
fn a_bad_record_of_many_lines_says_of_how_many() {
    let hidden = "1,a\n".repeat(800);
    let input = format!("id,text\n2,\"stray\n{hidden}3,\"b,c\n,\n4,ok\n");
    let ran = run("--format csv --id id --window 10m --on-bad drop", input).ok();
    let message =
        "stdin:2: invalid_csv: the record has 3 fields; accepted: 2, as in the first record; \
                   the record takes 802 lines\n";
    assert!(ran.stderr.contains(message), "{ran:?}");
    // Of one line, nothing need be said.
    assert_eq!(ran.stderr.matches("the record takes").count(), 1, "{ran:?}");
    ran.counts(&[("lines", 3), ("first", 1), ("bad", 2), ("bad lines", 803)]);
}

#[test]
fn a_first_record_that_is_no_header_is_not_shown() {
    for first in ["4711,ann@example.com", "\u{1b}]0;title\u{7},x"] {
        let ran = run("--format csv --id id --window 10m", format!("{first}\n")).stopped(
            2,
            "firstseen: stdin:1: the first record has no column `id`, and does not look like a header; accepted: a number \
             from `#1` to `#2`, with `--no-header` if the first record is an event\n",
        );
        assert!(
            !ran.stderr.contains('\u{1b}') && !ran.stderr.contains("ann"),
            "{ran:?}"
        );
    }
}

#[test]
fn headers_must_be_alike() {
    let folder = Folder::new();
    folder.write("one", "id,name\n1,x\n");
    folder.write("two", "name,id\nx,1\n");
    let ran = folder.run("one two --format csv --id id --window 10m", "");
    ran.stopped(
        1,
        "firstseen: two:1: invalid_csv: the header is not that of the first file",
    );
}
