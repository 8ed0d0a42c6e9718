//! `firstseen plan`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::{Command, Output};

fn plan(arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_firstseen"));
    command.arg("plan").args(arguments.split_whitespace());
    command.output().unwrap()
}

#[test]
fn the_table_is_the_cores() {
    let ran = plan("--rate 6M/h --window 1h --budget 64MiB --false-drop-rate 0.01");
    assert!(ran.status.success() && ran.stderr.is_empty(), "{ran:?}");
    let same = firstseen::sizing::plan(6e6 / 3600.0, firstseen::Millis(3_600_000));
    let same = same.budget(64 << 20).false_drop_rate(0.01).build().unwrap();
    assert_eq!(same.expected_ids, 6_000_000);
    assert_eq!(String::from_utf8(ran.stdout).unwrap(), format!("{same}\n"));
}

#[test]
fn what_cannot_be_planned_is_a_usage_error() {
    for (arguments, message) in [
        ("--rate 0/s --window 1h", "invalid_config: `rate` is `0.0`"),
        ("--rate 1G/ms --window 10000w", "invalid_config: `rate`"),
        ("--rate 5/s --window 0s", "invalid_config: `window`"),
        (
            "--rate 5/s --window 1h --budget 0B",
            "invalid_config: `budget`",
        ),
        (
            "--rate 5/s --window 1h --false-drop-rate NaN",
            "invalid_config: `false_drop_rate` is `NaN`",
        ),
        (
            "--rate 5/s --window 1h --false-drop-rate 0",
            "invalid_config: `false_drop_rate`",
        ),
        ("--rate 5 --window 1h", "such as `100k/s`"),
        ("--rate 5/s --window 1h --budget 5", "such as `64MiB`"),
        ("--rate 5/s", "--window"),
    ] {
        let ran = plan(arguments);
        assert_eq!(ran.status.code(), Some(2), "{arguments}: {ran:?}");
        let stderr = String::from_utf8(ran.stderr).unwrap();
        assert!(stderr.contains(message), "{arguments}: {stderr}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_firstseen"));
    command
        .args(["plan", "--rate", "5/s", "--window", "1h"])
        .stdout(full);
    let ran = command.output().unwrap();
    assert_eq!(ran.status.code(), Some(2), "{ran:?}");
    assert!(String::from_utf8(ran.stderr)
        .unwrap()
        .contains("io: standard output"));
}
