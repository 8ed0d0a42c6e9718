//! The figures as a text that a scraper reads: OpenMetrics 1.0.

mod families;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

use self::families::{Family, Kind, Value, SEQUENCES, WINDOWS};
use crate::error::Error;
use crate::sequences::SequenceStats;
use crate::stats::Stats;
use crate::window::reserved;

const LABEL_NAME: &str =
    "names of ASCII letters, digits and `_`, that begin neither with a digit nor with `__`";
const LABEL_VALUE: &str = "values that are not empty";
const ONCE: &str = "each name once, and other labels for each record";

/// What a record is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Windows,
    Sequences,
}

impl Of {
    fn prefix(self) -> &'static str {
        match self {
            Self::Windows => "firstseen_",
            Self::Sequences => "firstseen_sequences_",
        }
    }

    fn table(self) -> &'static [Family] {
        match self {
            Self::Windows => WINDOWS,
            Self::Sequences => SEQUENCES,
        }
    }
}

/// Collects the figures of windows and sequences, and writes them as one OpenMetrics text.
///
/// Labels tell the records apart, so each needs other ones. A metric is described once, however many records there are; a figure that is
/// none (no cap, nothing held) has no sample. Names are those of [`Stats`] with the prefix `firstseen_`, and those of [`SequenceStats`] with
/// `firstseen_sequences_`, in base units: milliseconds become `_seconds`, rates become `_ratio`, counts end in `_total`.
///
/// To add a record takes O(records), the text O(its length): some 4 kB for one window, and 1 kB for each further one.
///
/// ```
/// use firstseen::{Millis, OpenMetrics, Window};
///
/// let mut window = Window::exact(Millis(60_000)).build()?;
/// window.first_seen("evt_1", Millis(0))?;
/// let mut metrics = OpenMetrics::new();
/// metrics.window(&[("window", "payments")], &window.stats(Millis(90_500))?)?;
/// let text = metrics.text()?;
/// assert!(text.contains("firstseen_first_total{window=\"payments\"} 1\n"));
/// assert!(text.contains("firstseen_effective_window_seconds{window=\"payments\"} 60\n"));
/// assert!(text.ends_with("# EOF\n"));
/// # Ok::<(), firstseen::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct OpenMetrics {
    records: Vec<Record>,
}

#[derive(Clone, Debug)]
struct Record {
    of: Of,
    /// As they stand behind a name: `{window="payments"}`.
    labels: String,
    values: Vec<Value>,
}

impl OpenMetrics {
    /// The media type under which a scraper expects the text.
    pub const CONTENT_TYPE: &'static str =
        "application/openmetrics-text; version=1.0.0; charset=utf-8";

    /// Without any record.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            records: Vec::new(),
        }
    }

    /// Adds a window's figures under these labels.
    ///
    /// # Errors
    /// `invalid_config` for a label's name that OpenMetrics does not accept, or that is given twice, for an empty value, and for labels that
    /// another window has; `out_of_memory`.
    ///
    /// ```
    /// use firstseen::{OpenMetrics, Stats};
    ///
    /// let mut metrics = OpenMetrics::new();
    /// metrics.window(&[("window", "payments"), ("shard", "1")], &Stats::default())?;
    /// metrics.window(&[("window", "payments"), ("shard", "2")], &Stats::default())?;
    /// let twice = metrics.window(&[("shard", "1"), ("window", "payments")], &Stats::default());
    /// assert_eq!(twice.unwrap_err().code(), "invalid_config");
    /// # Ok::<(), firstseen::Error>(())
    /// ```
    pub fn window(&mut self, labels: &[(&str, &str)], stats: &Stats) -> Result<(), Error> {
        self.add(Of::Windows, labels, families::of_window(stats)?)
    }

    /// Adds the figures of sequences under these labels.
    ///
    /// # Errors
    /// As [`window`](Self::window).
    pub fn sequences(
        &mut self,
        labels: &[(&str, &str)],
        stats: &SequenceStats,
    ) -> Result<(), Error> {
        self.add(Of::Sequences, labels, families::of_sequences(stats)?)
    }

    /// For bindings: as [`window`](Self::window) of figures in the order of the fields of [`Stats`], NaN for none.
    ///
    /// # Errors
    /// As [`window`](Self::window).
    pub fn window_figures(
        &mut self,
        labels: &[(&str, &str)],
        figures: &[f64],
    ) -> Result<(), Error> {
        let values = families::of_figures(Of::Windows.table(), figures)?;
        self.add(Of::Windows, labels, values)
    }

    /// For bindings: as [`sequences`](Self::sequences) of figures in the order of the fields of [`SequenceStats`], NaN for none.
    ///
    /// # Errors
    /// As [`window`](Self::window).
    pub fn sequence_figures(
        &mut self,
        labels: &[(&str, &str)],
        figures: &[f64],
    ) -> Result<(), Error> {
        let values = families::of_figures(Of::Sequences.table(), figures)?;
        self.add(Of::Sequences, labels, values)
    }

    /// The text, `# EOF` included.
    ///
    /// # Errors
    /// `out_of_memory`.
    pub fn text(&self) -> Result<String, Error> {
        let mut text = Text(String::new());
        self.write(&mut text).map_err(|_| Error::OutOfMemory)?;
        Ok(text.0)
    }

    fn add(&mut self, of: Of, labels: &[(&str, &str)], values: Vec<Value>) -> Result<(), Error> {
        let labels = labels_text(labels)?;
        let mut records = self.records.iter();
        if records.any(|record| record.of == of && record.labels == labels) {
            return Err(Error::invalid_config(
                "labels",
                "those of another record",
                ONCE,
            ));
        }
        self.records
            .try_reserve(1)
            .map_err(|_| Error::OutOfMemory)?;
        self.records.push(Record { of, labels, values });
        Ok(())
    }

    fn write(&self, text: &mut Text) -> fmt::Result {
        for of in [Of::Windows, Of::Sequences] {
            if self.records.iter().any(|record| record.of == of) {
                self.write_families(text, of)?;
            }
        }
        text.write_str("# EOF\n")
    }

    /// The metrics one after the other, each with the samples of all records: that is how OpenMetrics has them.
    fn write_families(&self, text: &mut Text, of: Of) -> fmt::Result {
        let prefix = of.prefix();
        for (place, Family { name, kind, help }) in of.table().iter().enumerate() {
            let unit = kind.unit();
            let joint = if unit.is_empty() { "" } else { "_" };
            let (word, total) = match kind {
                Kind::Counter => ("counter", "_total"),
                _ => ("gauge", ""),
            };
            for (what, is) in [("TYPE", word), ("UNIT", unit), ("HELP", *help)] {
                if !is.is_empty() {
                    text.pieces(&["# ", what, " ", prefix, name, joint, unit, " ", is, "\n"])?;
                }
            }
            for Record { labels, values, .. } in
                self.records.iter().filter(|record| record.of == of)
            {
                let Some(value) = values.get(place).filter(|value| **value != Value::Absent) else {
                    continue;
                };
                text.pieces(&[prefix, name, joint, unit, total, labels, " "])?;
                match value {
                    Value::Whole(ms) if *kind == Kind::Seconds => {
                        write!(text, "{}", ms / 1000)?;
                        if ms % 1000 > 0 {
                            write!(text, ".{:03}", ms % 1000)?;
                        }
                    }
                    Value::Whole(value) => write!(text, "{value}")?,
                    Value::Real(value) => write!(text, "{value}")?,
                    Value::Absent => {}
                }
                text.write_char('\n')?;
            }
        }
        Ok(())
    }
}

/// The labels in the order of their names, so that the same ones are the same text.
fn labels_text(labels: &[(&str, &str)]) -> Result<String, Error> {
    // By insertion: there are a few, and the library's sort is large.
    let mut sorted: Vec<(&str, &str)> = reserved(labels.len())?;
    for label @ (name, value) in labels {
        let refused = |accepted| Error::invalid_config("labels", Error::value(name), accepted);
        if !is_label_name(name) {
            return Err(refused(LABEL_NAME));
        }
        // To a scraper a label with an empty value is none.
        if value.is_empty() {
            return Err(refused(LABEL_VALUE));
        }
        let place = sorted.iter().position(|(other, _)| other >= name);
        if place.is_some_and(|place| sorted.get(place).is_some_and(|(other, _)| other == name)) {
            return Err(refused(ONCE));
        }
        sorted.insert(place.unwrap_or(sorted.len()), *label);
    }
    let mut text = Text(String::new());
    write_labels(&mut text, &sorted).map_err(|_| Error::OutOfMemory)?;
    Ok(text.0)
}

fn is_label_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let is_one = |byte: &u8| *byte == b'_' || byte.is_ascii_alphanumeric();
    !bytes.starts_with(b"__")
        && bytes.first().is_some_and(|first| !first.is_ascii_digit())
        && bytes.iter().all(is_one)
}

fn write_labels(text: &mut Text, labels: &[(&str, &str)]) -> fmt::Result {
    let mut open = "{";
    for (name, value) in labels {
        text.pieces(&[open, name, "=\""])?;
        for letter in value.chars() {
            match letter {
                '\\' => text.write_str("\\\\")?,
                '"' => text.write_str("\\\"")?,
                '\n' => text.write_str("\\n")?,
                other => text.write_char(other)?,
            }
        }
        text.write_char('"')?;
        open = ",";
    }
    if labels.is_empty() {
        return Ok(());
    }
    text.write_char('}')
}

/// A text whose growth can fail without a trap.
struct Text(String);

impl Text {
    #[inline(never)]
    fn pieces(&mut self, pieces: &[&str]) -> fmt::Result {
        pieces.iter().try_for_each(|piece| self.write_str(piece))
    }
}

impl Write for Text {
    // There are many calls, and none must be fast.
    #[inline(never)]
    fn write_str(&mut self, more: &str) -> fmt::Result {
        self.0.try_reserve(more.len()).map_err(|_| fmt::Error)?;
        self.0.push_str(more);
        Ok(())
    }
}
