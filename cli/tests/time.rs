//! The clock: the largest event time so far, or the real one.

mod common;

use common::{run, Folder};

/// One event per (id, seconds).
fn events(events: &[(&str, u64)]) -> String {
    let line = |(id, at): &(&str, u64)| format!("{{\"id\":\"{id}\",\"at\":{at}}}\n");
    events.iter().map(line).collect()
}

#[test]
fn an_id_is_first_again_after_the_window() {
    let input = events(&[("a", 0), ("a", 60), ("x", 61), ("a", 61), ("a", 121)]);
    let ran = run("--id id --time at --window 60s", input).ok();
    assert_eq!(ran.stdout, events(&[("a", 0), ("x", 61), ("a", 61)]));
    ran.counts(&[("lines", 5), ("first", 3), ("duplicate", 2), ("held", 2)]);
    assert_eq!(ran.figure("effective window"), "1m");
    assert_eq!(ran.figure("clock"), "event time");
}

#[test]
fn without_time_the_clock_is_the_real_one() {
    let input = events(&[("a", 0), ("a", 1_000_000)]);
    run("--id id --window 60s", input)
        .ok()
        .counts(&[("first", 1), ("duplicate", 1)]);
}

#[test]
fn stragglers_never_move_the_clock_back() {
    // Three stragglers in a row would re-anchor a window that was told their times.
    let input = events(&[
        ("a", 100_000),
        ("b", 5),
        ("c", 200),
        ("d", 400),
        ("a", 100_001),
        ("b", 100_060),
        ("b", 100_061),
    ]);
    let ran = run("--id id --time at --window 60s", input).ok();
    // `b` was accepted when the clock said 100,000, so that is from when it is remembered.
    assert_eq!(
        ran.stdout,
        events(&[
            ("a", 100_000),
            ("b", 5),
            ("c", 200),
            ("d", 400),
            ("b", 100_061)
        ])
    );
    ran.counts(&[("first", 5), ("duplicate", 2), ("behind", 3)]);
}

#[test]
fn late_events_are_neither_first_nor_duplicates() {
    let folder = Folder::new();
    let input = events(&[("a", 1000), ("b", 940), ("c", 939), ("a", 5), ("c", 1000)]);
    let ran = folder
        .run(
            "--id id --time at --window 60s --max-lateness 60s --late late --duplicates again",
            input,
        )
        .ok();
    assert_eq!(ran.stdout, events(&[("a", 1000), ("b", 940), ("c", 1000)]));
    assert_eq!(folder.read("late"), events(&[("c", 939)]));
    assert_eq!(folder.read("again"), events(&[("a", 5)]));
    ran.counts(&[("first", 3), ("duplicate", 1), ("late", 1)]);
    let ran = run(
        "--id id --time at --window 60s --max-lateness 0s",
        events(&[("a", 10), ("b", 9)]),
    )
    .ok();
    ran.counts(&[("first", 1), ("late", 1)]);
}

#[test]
fn every_way_to_write_a_time_is_read() {
    // 2023-11-14T22:13:20Z and a minute later.
    for (first, later) in [
        ("\"2023-11-14T22:13:20Z\"", "\"2023-11-14T22:14:21Z\""),
        (
            "\"2023-11-15T00:13:20.5+02:00\"",
            "\"2023-11-14T21:14:21.500-01:00\"",
        ),
        ("1700000000", "1700000061"),
        ("1700000000.25", "1700000061.25"),
        ("1700000000000", "1700000061000"),
        ("\"1700000000\"", "1700000061000"),
        ("\"1700000000000\"", "\"1700000061.0\""),
    ] {
        let input = format!("{{\"id\":1,\"at\":{first}}}\n{{\"id\":1,\"at\":{first}}}\n{{\"id\":1,\"at\":{later}}}\n");
        let ran = run("--id id --time at --window 60s", input).ok();
        ran.counts(&[("first", 2), ("duplicate", 1)]);
    }
    let input = events(&[("a", 0), ("a", 60_000), ("a", 61_000)]);
    run("--id id --time at --time-unit ms --window 60s", &input)
        .ok()
        .counts(&[("first", 2)]);
    run("--id id --time at --time-unit us --window 60ms", &input)
        .ok()
        .counts(&[("first", 2)]);
    run("--id id --time at --time-unit s --window 60000s", &input)
        .ok()
        .counts(&[("first", 2)]);
}

#[test]
fn a_line_without_a_time_is_bad() {
    for (at, message) in [
        ("null", "invalid_time: `time` is `null`"),
        ("true", "invalid_time"),
        ("-1", "invalid_time"),
        ("[1]", "invalid_time"),
        (
            "\"yesterday\"",
            "invalid_time: the time is a text of 9 bytes",
        ),
        ("\"2023-11-14T22:13:20\"", "invalid_time"),
        ("\"\"", "invalid_time"),
        ("1700000000000000", "`--time-unit us`"),
    ] {
        let ran = run(
            "--id id --time at --window 60s",
            format!("{{\"id\":1,\"at\":{at}}}\n"),
        );
        ran.stopped(1, message).counts(&[("bad", 1)]);
    }
    run("--id id --time at --window 60s", "{\"id\":1}\n")
        .stopped(1, "invalid_time: the line has no `at`");
}

#[test]
fn a_step_too_far_is_bad_and_does_not_poison_the_clock() {
    let input = events(&[("a", 0), ("x", 9_999_999), ("b", 3600), ("a", 3601)]);
    let arguments = "--id id --time at --window 2h --max-step 1h";
    let ran = run(&format!("{arguments} --on-bad drop"), &input).ok();
    assert_eq!(ran.stdout, events(&[("a", 0), ("b", 3600)]));
    assert!(ran.stderr.contains("stdin:2: clock_step: "), "{ran:?}");
    ran.counts(&[("first", 2), ("duplicate", 1), ("bad", 1), ("behind", 0)]);
    run(arguments, &input).stopped(1, "stdin:2: clock_step: ");
    // Without it, the lines after it are seen to be far behind.
    run("--id id --time at --window 2h", &input)
        .ok()
        .counts(&[("behind", 2)]);
}

#[test]
fn a_bucket_is_the_grain_of_forgetting() {
    let input = events(&[("a", 0), ("a", 60), ("a", 79), ("a", 80)]);
    let ran = run("--id id --time at --window 60s --bucket 20s", input).ok();
    ran.counts(&[("first", 2), ("duplicate", 2)]);
    assert_eq!(ran.figure("bucket"), "20s");
}
