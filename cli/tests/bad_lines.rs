//! What happens to lines that are no events: reported, counted, never lost in silence.

mod common;

use common::{run, Folder};

const MIXED: &str = "{\"id\":1}\nnope\n{\"id\":1}\n{\"no\":1}\n{\"id\":2}\n";

#[test]
fn fail_stops_at_the_first_after_printing_what_was_right() {
    let ran = run("--id id --window 10m", MIXED).stopped(1, "firstseen: stdin:2: invalid_json: ");
    assert_eq!(ran.stdout, "{\"id\":1}\n");
    ran.counts(&[("lines", 2), ("first", 1), ("bad", 1)]);
}

#[test]
fn drop_goes_on_without_them() {
    let ran = run("--id id --window 10m --on-bad drop", MIXED).ok();
    assert_eq!(ran.stdout, "{\"id\":1}\n{\"id\":2}\n");
    assert!(
        ran.stderr.contains("firstseen: stdin:2: invalid_json: "),
        "{ran:?}"
    );
    assert!(
        ran.stderr.contains("firstseen: stdin:4: invalid_id: "),
        "{ran:?}"
    );
    ran.counts(&[("lines", 5), ("first", 2), ("duplicate", 1), ("bad", 2)]);
}

#[test]
fn pass_prints_them() {
    let ran = run("--id id --window 10m --on-bad pass", MIXED).ok();
    assert_eq!(ran.stdout, "{\"id\":1}\nnope\n{\"no\":1}\n{\"id\":2}\n");
    ran.counts(&[("lines", 5), ("first", 2), ("duplicate", 1), ("bad", 2)]);
}

#[test]
fn the_whole_line_is_validated() {
    for line in [
        "{\"id\":1}}",
        "{\"id\":1} {\"id\":2}",
        "{\"id\":1,\"x\":nul}",
        "{\"id\":1",
        "{\"id\":1,\"x\":\"\u{1}\"}",
    ] {
        run("--id id --window 10m", line).stopped(1, "stdin:1: invalid_json: ");
    }
    run("--id id --window 10m", b"{\"id\":1,\"x\":\"\xff\"}\n")
        .stopped(1, "stdin:1: invalid_json: the line is not UTF-8");
}

#[test]
fn many_are_counted_not_shown() {
    let ran = run("--id id --window 10m --on-bad drop", "nope\n".repeat(1000)).ok();
    assert_eq!(ran.stderr.matches("invalid_json").count(), 20);
    assert!(ran
        .stderr
        .contains("further bad lines are counted, not shown"));
    ran.counts(&[("lines", 1000), ("bad", 1000)]);
}

#[test]
fn they_are_reported_by_file_and_line() {
    let folder = Folder::new();
    folder.write("one", "{\"id\":1}\n\n");
    folder.write("two", "{\"id\":1}\n\nnope");
    folder
        .run("one two --id id --window 10m", "")
        .stopped(1, "firstseen: two:3: invalid_json: ");
}

#[test]
fn a_full_window_stops_and_never_drops() {
    let input = "{\"id\":1}\n{\"id\":2}\n{\"id\":1}\n{\"id\":3}\n{\"id\":4}\n";
    let ran = run(
        "--id id --window 10m --max-ids 2 --on-full reject --on-bad drop",
        input,
    );
    let ran = ran.stopped(1, "firstseen: stdin:4: full: the window holds `2` ids");
    assert_eq!(ran.stdout, "{\"id\":1}\n{\"id\":2}\n");
    ran.counts(&[
        ("lines", 4),
        ("first", 2),
        ("duplicate", 1),
        ("rejected", 1),
        ("held", 2),
    ]);
}

#[test]
fn a_capped_window_says_what_it_forgot() {
    let input: String = (0..100)
        .chain(99..100)
        .chain(0..1)
        .map(|id| format!("{{\"id\":{id},\"at\":{id}}}\n"))
        .collect();
    let ran = run(
        "--id id --time at --window 10m --max-ids 10 --on-full evict_oldest",
        input,
    )
    .ok();
    ran.counts(&[
        ("lines", 102),
        ("first", 101),
        ("duplicate", 1),
        ("held", 10),
        ("evicted", 91),
    ]);
    // Ids 91 to 99, the second 0, at time 99.
    assert_eq!(ran.figure("effective window"), "8s999ms");
}
