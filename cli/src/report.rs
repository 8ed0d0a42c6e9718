//! What a person is told, on standard error: bad lines, progress, the summary.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};
use std::path::PathBuf;

use firstseen::Stats;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::Summary;
use crate::duration;
use crate::failure::Bad;
use crate::input::is_dash;
use crate::show;

/// This many bad lines are shown; the others are counted.
const SHOWN: u64 = 20;

/// Writes a message. That standard error is gone is no reason to stop.
pub(crate) fn say(message: &str) {
    let _ = writeln!(io::stderr(), "firstseen: {}", show::message(message));
}

/// How many records came to what. `lines` is the sum of all below it up to `rejected`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) lines: u64,
    pub(crate) first: u64,
    pub(crate) duplicate: u64,
    pub(crate) late: u64,
    pub(crate) bad: u64,
    pub(crate) blank: u64,
    pub(crate) rejected: u64,
    /// Lines of the files that bad records take: one stray quote in CSV makes one of many.
    pub(crate) bad_lines: u64,
    /// Events further behind the clock than the window, whatever their verdict. Many of them: one event's time was far ahead.
    pub(crate) behind: u64,
}

/// The bar and the messages, which must not run into each other.
pub(crate) struct Report {
    bar: ProgressBar,
}

impl Report {
    /// The bar is drawn on a terminal only, and not into events that go to the same one.
    pub(crate) fn new(files: &[PathBuf], events_to_stdout: bool) -> Self {
        let shown = io::stderr().is_terminal() && !(events_to_stdout && io::stdout().is_terminal());
        if !shown {
            return Self {
                bar: ProgressBar::hidden(),
            };
        }
        let size = |path: &PathBuf| {
            let metadata = path.metadata().ok().filter(|metadata| metadata.is_file())?;
            (!is_dash(path)).then_some(metadata.len())
        };
        let total = files.iter().map(size).sum::<Option<u64>>();
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
        let template = match total {
            Some(_) => "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left",
            None => "{spinner} {bytes} {bytes_per_sec}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar }
    }

    pub(crate) fn progress(&self, bytes: u64) {
        self.bar.set_position(bytes);
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Reports the bad line that is the `count`th.
    #[cold]
    pub(crate) fn bad(&self, place: &str, bad: &Bad, count: u64) {
        if count <= SHOWN {
            self.bar.suspend(|| say(&format!("{place}: {bad}")));
        } else if count == SHOWN + 1 {
            self.bar
                .suspend(|| say("further bad lines are counted, not shown"));
        }
    }
}

/// What the summary is made of.
pub(crate) struct Totals {
    pub(crate) counts: Counts,
    pub(crate) stats: Stats,
    /// Whether the clock was the events' own time.
    pub(crate) event_time: bool,
}

impl Totals {
    pub(crate) fn say(&self, summary: Summary) {
        let text = match summary {
            Summary::Text => self.text(),
            Summary::Json => self.json(),
            Summary::None => return,
        };
        let _ = io::stderr().write_all(text.as_bytes());
    }

    fn numbers(&self) -> [(&'static str, u64); 11] {
        let (counts, stats) = (&self.counts, &self.stats);
        [
            ("lines", counts.lines),
            ("first", counts.first),
            ("duplicate", counts.duplicate),
            ("late", counts.late),
            ("bad", counts.bad),
            ("bad_lines", counts.bad_lines),
            ("blank", counts.blank),
            ("rejected", counts.rejected),
            ("behind", counts.behind),
            ("evicted", stats.evicted),
            ("held", stats.held),
        ]
    }

    fn clock(&self) -> &'static str {
        match self.event_time {
            true => "event time",
            false => "steady",
        }
    }

    fn text(&self) -> String {
        let stats = &self.stats;
        let mut text = String::new();
        let durations = [
            ("window", stats.window_ms),
            ("bucket", stats.bucket_ms),
            ("effective window", stats.effective_window_ms),
        ];
        // Writing to a `String` cannot fail.
        for (name, number) in self.numbers() {
            let _ = writeln!(text, "{:<17} {number}", name.replace('_', " "));
        }
        for (name, ms) in durations {
            let _ = writeln!(text, "{name:<17} {}", duration::format(ms));
        }
        let _ = writeln!(text, "{:<17} {}", "clock", self.clock());
        text
    }

    fn json(&self) -> String {
        let stats = &self.stats;
        let mut text = String::from("{");
        let durations = [
            ("window_ms", stats.window_ms),
            ("bucket_ms", stats.bucket_ms),
            ("effective_window_ms", stats.effective_window_ms),
            ("memory_bytes", stats.memory_bytes),
        ];
        for (name, number) in self.numbers().into_iter().chain(durations) {
            let _ = write!(text, "\"{name}\":{number},");
        }
        let _ = writeln!(text, "\"clock\":\"{}\"}}", self.clock());
        text
    }
}
