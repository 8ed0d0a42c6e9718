//! Labels, and that each figure has a name of its own.

use super::*;
use alloc::vec;

fn refused(labels: &[(&str, &str)]) {
    let mut metrics = OpenMetrics::new();
    let error = metrics.window(labels, &Stats::default()).unwrap_err();
    assert_eq!(error.code(), "invalid_config", "{labels:?}");
    assert_eq!(metrics.text().unwrap(), "# EOF\n");
}

#[test]
fn labels_that_are_none_are_refused() {
    for name in ["", "1a", "__name__", "a-b", "a:b", "ä", "a b", "a\n"] {
        refused(&[(name, "x")]);
    }
    refused(&[("a", "")]);
    refused(&[("a", "x"), ("b", "x"), ("a", "y")]);
    for name in ["a", "_", "_a1", "A_9"] {
        assert!(OpenMetrics::new()
            .window(&[(name, "x")], &Stats::default())
            .is_ok());
    }
}

#[test]
fn a_record_needs_labels_of_its_own() {
    let mut metrics = OpenMetrics::new();
    metrics.window(&[], &Stats::default()).unwrap();
    let before = metrics.text().unwrap();
    let error = metrics.window(&[], &Stats::default()).unwrap_err();
    assert_eq!(
        alloc::string::ToString::to_string(&error),
        alloc::format!("`labels` is `those of another record`; accepted: {ONCE}")
    );
    assert_eq!(metrics.text().unwrap(), before);
    // The metrics of sequences are others.
    metrics.sequences(&[], &SequenceStats::default()).unwrap();
    assert!(before.contains("\nfirstseen_checked_total 0\n"));
}

#[test]
fn values_are_escaped_and_names_are_sorted() {
    let labels = [("b", "a\\b\"c\nd"), ("a", "\u{e9}{}")];
    let text = labels_text(&labels).unwrap();
    assert_eq!(text, "{a=\"\u{e9}{}\",b=\"a\\\\b\\\"c\\nd\"}");
}

/// Every figure of a record that has none of its numbers twice.
fn samples(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.rsplit(' ').next().unwrap()).collect()
}

#[test]
fn no_figure_is_lost_or_taken_for_another() {
    let stats = Stats {
        checked: 1,
        first: 2,
        duplicate: 3,
        conflict: 4,
        probable_duplicate: 5,
        in_flight: 6,
        late: 7,
        rejected: 8,
        expired: 9,
        evicted: 10,
        forgotten: 11,
        leases_expired: 12,
        clock_regressions: 13,
        clock_resets: 14,
        held: 15,
        pending: 16,
        max_ids: Some(17),
        memory_bytes: 18,
        window_ms: 19_000,
        bucket_ms: 20_050,
        buckets: 21,
        effective_window_ms: 22,
        oldest_age_ms: Some(u64::MAX),
        fill_ratio: Some(0.24),
        estimated_false_drop_rate: 2.3e-20,
    };
    let mut metrics = OpenMetrics::new();
    metrics.window(&[], &stats).unwrap();
    let text = metrics.text().unwrap();
    let mut wanted: Vec<String> = (1..=19_u64).map(Error::value).map(Into::into).collect();
    wanted.extend(
        [
            "20.050",
            "21",
            "0.022",
            "18446744073709551.615",
            "0.24",
            "0.000000000000000000023",
        ]
        .map(Into::into),
    );
    assert_eq!(samples(&text), wanted);

    let stats = SequenceStats {
        checked: 1,
        first: 2,
        duplicate: 3,
        stale: 4,
        fenced: 5,
        gaps: 6,
        expired: 7,
        evicted: 8,
        forgotten: 9,
        clock_regressions: 10,
        clock_resets: 11,
        held: 12,
        max_producers: Some(13),
        memory_bytes: 14,
        width: 15,
        idle_ms: Some(16_000),
    };
    let mut metrics = OpenMetrics::new();
    metrics.sequences(&[], &stats).unwrap();
    let wanted: Vec<String> = (1..=16_u64).map(Error::value).map(Into::into).collect();
    assert_eq!(samples(&metrics.text().unwrap()), wanted);
}

#[test]
fn names_are_unique_and_helps_are_plain_sentences() {
    for families in [WINDOWS, SEQUENCES] {
        let mut names = vec![];
        for Family { name, kind, help } in families {
            assert!(is_label_name(name));
            // OpenMetrics gives these endings a meaning of their own.
            for ending in ["_total", "_created", "_count", "_sum", "_bucket", "_info"] {
                assert!(!name.ends_with(ending), "{name}");
            }
            names.push((name, kind.unit()));
            assert!(
                help.ends_with('.') && !help.contains(['\\', '\n', '"']),
                "{help}"
            );
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
