//! Files, pipes and options.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::io::{Read, Write};
use std::process::Command;

use common::{run, Folder};

#[test]
fn files_are_read_in_order_and_standard_input_where_it_is_named() {
    let folder = Folder::new();
    // Without a line end, which is added only between events.
    folder.write("one", "a\nb");
    folder.write("two", "c\na");
    let ran = folder
        .run(
            "one - two --format lines --window 10m --duplicates again",
            "b\nd",
        )
        .ok();
    assert_eq!(ran.stdout, "a\nb\nd\nc\n");
    assert_eq!(folder.read("again"), "b\na");
    let ran = folder.run("--format lines --window 10m", "").ok();
    ran.counts(&[("lines", 0)]);
    assert_eq!(ran.figure("effective window"), "0s");
}

#[test]
fn firsts_can_go_to_a_file() {
    let folder = Folder::new();
    let ran = folder
        .run("--format lines --window 10m --output out", "a\na\n")
        .ok();
    assert_eq!(
        (ran.stdout.as_str(), folder.read("out").as_str()),
        ("", "a\n")
    );
    let ran = folder
        .run("--format lines --window 10m --output -", "a\na\n")
        .ok();
    assert_eq!(ran.stdout, "a\n");
}

#[test]
fn a_file_that_is_read_is_never_overwritten() {
    let folder = Folder::new();
    folder.write("events", "a\na\n");
    for arguments in [
        "events --output events",
        "events --output ./events",
        "events --duplicates events",
        "events --output out --duplicates out",
        "events --duplicates -",
    ] {
        let ran = folder.run(&format!("--format lines --window 10m {arguments}"), "");
        assert_eq!(ran.code, Some(2), "{arguments}");
        assert_eq!(folder.read("events"), "a\na\n");
    }
}

#[test]
fn a_file_that_is_not_there_is_noticed_before_anything_is_done() {
    let folder = Folder::new();
    folder.write("events", "a\n");
    let ran = folder.run(
        "events missing --format lines --window 10m --output out",
        "",
    );
    let ran = ran.stopped(2, "firstseen: io: missing: ");
    assert_eq!(ran.stdout, "");
    assert!(!folder.exists("out"));
}

#[test]
fn usage_is_checked() {
    for (arguments, message) in [
        ("--id id", "--window"),
        (
            "--id id --window 10",
            "`10` has no unit; write `10s` or `10ms`",
        ),
        ("--id id --window 0s", "invalid_config: `window` is `0 ms`"),
        ("--id id --window 10m --bucket 1ms", "invalid_config: "),
        (
            "--id id --window 10m --max-ids 0",
            "invalid_config: `max_ids` is `0`",
        ),
        ("--id id --window 10m --on-full reject", "--max-ids"),
        ("--id id --window 10m --max-lateness 10m", "--time"),
        ("--id id --window 10m --max-step 10m", "--time"),
        (
            "--id id --window 10m --late late --time t",
            "--max-lateness",
        ),
        ("--id id --window 10m --on-bad ignore", "ignore"),
        ("--id id --window 10m --unknown", "--unknown"),
        ("--id id --window 10m --no-header", "`--format csv`"),
        ("--window 10m", "`--id` is missing"),
        ("--window 10m --format lines --id id", "takes no `--id`"),
        (
            "--window 10m --format csv --id id --delimiter ab",
            "one ASCII character",
        ),
    ] {
        let ran = run(arguments, "").stopped(2, message);
        assert!(ran.stderr.starts_with("firstseen: "), "{ran:?}");
        assert_eq!(ran.stdout, "");
    }
    assert!(run("--help", "").ok().stdout.contains("Examples:"));
    let mut bare = Command::new(env!("CARGO_BIN_EXE_firstseen"));
    let output = bare.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let help = String::from_utf8(output.stderr).unwrap();
    assert!(
        help.starts_with("Deduplicates streams of events by id, within a window\n\nUsage: "),
        "{help}"
    );
}

#[test]
fn the_summary_can_be_json_or_nothing() {
    let ran = run(
        "--id id --time at --window 1m --summary json",
        "{\"id\":1,\"at\":7}\n{\"id\":1,\"at\":8}\nx\n",
    );
    let last = ran.stderr.lines().next().unwrap();
    assert!(last.starts_with("{\"lines\":3,\"first\":1,\"duplicate\":1,\"late\":0,\"bad\":1,\"bad_lines\":1,\"blank\":0,\"rejected\":0,"), "{last}");
    assert!(
        last.contains("\"window_ms\":60000,\"bucket_ms\":1000,\"effective_window_ms\":1000,"),
        "{last}"
    );
    assert!(last.ends_with("\"clock\":\"event time\"}"), "{last}");
    assert_eq!(
        run("--format lines --window 1m --summary none", "a\n")
            .ok()
            .stderr,
        ""
    );
}

#[test]
fn an_event_is_printed_before_the_next_one_comes() {
    let folder = Folder::new();
    let mut child = folder
        .command("--format lines --window 10m")
        .spawn()
        .unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    for line in [b"a\n", b"b\n"] {
        stdin.write_all(line).unwrap();
        let mut printed = [0; 2];
        stdout.read_exact(&mut printed).unwrap();
        assert_eq!(&printed, line);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_reader_that_goes_ends_it_quietly() {
    let folder = Folder::new();
    let lines: String = (0..200_000).map(|line| format!("line {line}\n")).collect();
    folder.write("events", lines);
    let mut child = folder
        .command("events --format lines --window 10m")
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(141));
    assert_eq!(output.stderr, b"");
}

#[test]
fn a_line_may_be_of_any_length() {
    let long = "x".repeat(5_000_000);
    let event = format!("{{\"pad\":\"{long}\",\"id\":\"{long}\"}}\n");
    let ran = run(
        "--id id --window 10m",
        format!("{event}{{\"id\":1}}\n{event}"),
    )
    .ok();
    assert_eq!(ran.stdout.len(), event.len() + 9);
    ran.counts(&[("first", 2), ("duplicate", 1)]);
    let ran = run(
        "--format csv --no-header --id #1 --window 10m",
        format!("\"{}\",1\n\"{0}\",2\n", long.replace("xx", "\n")),
    )
    .ok();
    ran.counts(&[("first", 1), ("duplicate", 1)]);
}
