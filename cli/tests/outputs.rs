//! Files that are written: never two at once, and never emptied for nothing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs::{self, File, OpenOptions};

use common::{Folder, Ran};

const EVENTS: &str = "a\na\nb\n";

fn with_stdout(folder: &Folder, arguments: &str, stdout: File) -> Ran {
    let mut command = folder.command(&format!("--window 10m {arguments}"));
    Folder::feed(command.stdout(stdout), EVENTS)
}

#[test]
fn standard_output_is_a_file_like_others() {
    let folder = Folder::new();
    let mut aliases = vec![
        "--format lines --duplicates out",
        "--format lines --duplicates ./out",
        "--format lines --duplicates link",
        "--format lines --output out",
        "--id id --time at --max-lateness 1m --late out",
    ];
    if cfg!(target_os = "linux") {
        aliases.extend([
            "--format lines --duplicates /dev/stdout",
            "--format lines --output /dev/stdout",
        ]);
    }
    for arguments in aliases {
        folder.write("out", "before\n");
        let _ = fs::remove_file(folder.path("link"));
        fs::hard_link(folder.path("out"), folder.path("link")).unwrap();
        let append = OpenOptions::new().append(true).open(folder.path("out"));
        let ran = with_stdout(&folder, arguments, append.unwrap());
        ran.stopped(2, " is to be written, but is another output too");
        assert_eq!(folder.read("out"), "before\n", "{arguments}");
        let truncated = File::create(folder.path("out")).unwrap();
        with_stdout(&folder, arguments, truncated).stopped(2, "is another output too");
    }
    let out = File::create(folder.path("out")).unwrap();
    with_stdout(&folder, "--format lines --duplicates again", out).ok();
    assert_eq!(folder.read("out"), "a\nb\n");
    assert_eq!(folder.read("again"), "a\n");
}

#[test]
fn no_two_outputs_are_one_file() {
    let folder = Folder::new();
    folder.write("there", "before\n");
    let arguments = "--id id --time at --window 1m --max-lateness 1m";
    for outputs in [
        "--output there --duplicates ./there",
        "--output there --late there",
        "--duplicates there --late there",
        "--output new --duplicates ./new",
    ] {
        folder
            .run(&format!("{arguments} {outputs}"), "")
            .stopped(2, "is another output too");
        assert_eq!(folder.read("there"), "before\n");
        assert!(!folder.exists("new"));
    }
    let mut command = folder.command("--format lines --window 1m --output there");
    let log = OpenOptions::new().append(true).open(folder.path("there"));
    assert_eq!(
        Folder::feed(command.stderr(log.unwrap()), "a\n").code,
        Some(2)
    );
    assert!(folder
        .read("there")
        .starts_with("before\nfirstseen: there is to be written"));
}

#[test]
fn a_usage_error_leaves_every_file_as_it_was() {
    let folder = Folder::new();
    folder.write("events.csv", "\nname,text\nx,y\n");
    fs::create_dir(folder.path("folder")).unwrap();
    for (arguments, message) in [
        (". --id id", "firstseen: . is a directory"),
        ("folder --id id", "firstseen: folder is a directory"),
        ("events.csv missing --id id", "firstseen: io: missing: "),
        (
            "events.csv --id id --format csv",
            "the header has no column `id`",
        ),
        (
            "events.csv --format csv --id name --time at",
            "the header has no column `at`",
        ),
        (
            "events.csv --format csv --no-header --id id",
            "`id` is no column",
        ),
        ("events.csv --id a..b", "has an empty step"),
        ("events.csv --id id --max-ids 0", "invalid_config"),
        (
            "events.csv --id id --duplicates folder",
            "folder is a directory",
        ),
        (
            "events.csv --id id --duplicates missing/again",
            "io: missing/again: ",
        ),
        (
            "events.csv --id id --duplicates events.csv",
            "is also written",
        ),
    ] {
        folder.write("precious", "before\n");
        for output in ["precious", "new"] {
            folder
                .run(&format!("{arguments} --window 1m --output {output}"), "")
                .stopped(2, message);
            assert_eq!(folder.read("precious"), "before\n", "{arguments}");
            assert!(!folder.exists("new"), "{arguments}");
        }
    }
    assert_eq!(folder.read("events.csv"), "\nname,text\nx,y\n");
}

#[test]
fn a_run_that_goes_on_overwrites() {
    let folder = Folder::new();
    for (format, input, firsts) in [
        ("lines", EVENTS, "a\nb\n"),
        ("lines", "", ""),
        ("csv --no-header --id #1", EVENTS, "a\nb\n"),
        ("csv --id id", "id\na\na\n", "id\na\n"),
        ("csv --id id", "", ""),
    ] {
        folder.write("out", "something much longer before\n");
        let outputs = "--output out --duplicates again";
        let ran = folder.run(&format!("--window 1m --format {format} {outputs}"), input);
        ran.ok();
        assert_eq!(folder.read("out"), firsts, "{format}");
        assert!(folder.exists("again"));
    }
    // Stopped by the data: the firsts before it are there.
    folder.write("out", "something much longer before\n");
    let ran = folder.run("--window 1m --id id --output out", "{\"id\":1}\nx\n");
    ran.stopped(1, "invalid_json");
    assert_eq!(folder.read("out"), "{\"id\":1}\n");
}

#[cfg(unix)]
#[test]
fn a_standard_output_that_cannot_be_written_is_an_error() {
    let folder = Folder::new();
    folder.write("out", "before\n");
    let read_only = File::open(folder.path("out")).unwrap();
    with_stdout(&folder, "--format lines", read_only).stopped(2, "firstseen: io: stdout: ");
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_opened_is_noticed_first() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("precious", "before\n");
    folder.write("closed", "a\n");
    fs::set_permissions(folder.path("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    // Nothing is closed to a superuser.
    if File::open(folder.path("closed")).is_err() {
        let ran = folder.run(
            "- closed --format lines --window 1m --output precious",
            "a\n",
        );
        ran.stopped(2, "firstseen: io: closed: ");
        assert_eq!(folder.read("precious"), "before\n");
    }
}

#[cfg(unix)]
#[test]
fn names_cannot_steer_the_terminal() {
    let folder = Folder::new();
    folder.write("a\u{1b}[31m", "x\n");
    let shown = "firstseen: a\\u{1b}[31m:1: invalid_json: ";
    folder
        .run("a\u{1b}[31m --id id --window 1m", "")
        .stopped(1, shown);
    let ran = folder.run("--id id --window 1m --output missing/\u{9b}31m", "");
    ran.stopped(2, "io: missing/\\u{9b}31m: ");
    let ran = folder.run("--id \u{1b}[31m --window 1m", "{}\n");
    ran.stopped(1, "the line has no `\\u{1b}[31m`");
}
