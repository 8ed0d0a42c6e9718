//! The options.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use firstseen::{Millis, OnFull};

use crate::{duration, quantity, time};

/// Deduplicates streams of events by id, within a window
#[derive(Parser)]
#[command(name = "firstseen", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Dedupe(Dedupe),
    Plan(Plan),
}

const EXAMPLES: &str = "\
Examples:
  Webhook deliveries as they come, one JSON text per line:
    tail -f deliveries.ndjson | firstseen dedupe --id id --window 10m

  A recorded stream by its own time, so that it does not matter how fast it is read:
    firstseen dedupe events.ndjson --id data.object.id --time created --window 1d --max-lateness 1d

  An id of two fields, duplicates kept beside:
    firstseen dedupe --id tenant --id order.id --window 2h --duplicates again.ndjson < orders.ndjson

  Columns of a CSV file with a header, by name or by number:
    firstseen dedupe orders.csv --format csv --id order_id --time '#3' --window 1h

  Whole lines:
    firstseen dedupe access.log --format lines --window 10m

Ids:
  A JSON string is a text, an integer from 0 to 2^64-1 an integer (7 and \"7\" are two ids), an array of these a composite;
  anything else is a bad line. Several --id make a composite. In CSV every field is a text.

Lines:
  Each event is printed as it came, byte for byte. Line ends may be LF or CRLF, and do not belong to an id. Blank lines are no
  events: they are counted, not printed. A byte order mark at the start of a file is not printed either. In CSV a stray quote
  can make one bad record of many lines: `bad lines` counts the lines in all bad records.

Outputs:
  A file that is there is overwritten, but only once all inputs were found and the first record was read: a run that stops
  for a usage error leaves it as it was. No file can be written twice, or read and written. Firsts are lost without an error
  where standard output is closed (`>&-`), since that looks like one that goes to nowhere.

Exit status:
  0 all was read; 1 stopped by the data: a bad line under `--on-bad fail`, a full window, CSV headers that differ;
  2 usage, or a file that cannot be read or written; 141 whoever read the output has gone.";

/// Prints each event of a stream the first time its id is seen within the window
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Dedupe {
    /// What to read, in this order; `-` or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Where an event's id is: a dotted path (`data.items.0.id`), a JSON Pointer (`/a.b/id`), `.` (the whole value); in CSV a
    /// column's name, or its number as `#1`. Given several times: a composite id
    #[arg(long, value_name = "PATH")]
    pub(crate) id: Vec<String>,

    /// For how long an id is remembered, at least
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    pub(crate) window: Millis,

    /// Where an event's own time is: RFC 3339 or Unix time. The clock is then the largest time so far, else the real one
    #[arg(long, value_name = "PATH")]
    pub(crate) time: Option<String>,

    /// What a Unix time counts
    #[arg(long, value_name = "UNIT", default_value = "auto", requires = "time")]
    pub(crate) time_unit: time::Unit,

    /// What the stream is made of
    #[arg(long, value_enum, default_value = "ndjson")]
    pub(crate) format: Format,

    /// Where firsts are written, instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Where duplicates are written; else they are only counted
    #[arg(long, value_name = "FILE")]
    pub(crate) duplicates: Option<PathBuf>,

    /// An event this far behind the clock is late: neither first nor duplicate, and not remembered. Without it, what
    /// comes again after the window is first again
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, requires = "time")]
    pub(crate) max_lateness: Option<Millis>,

    /// Where late events are written; else they are only counted
    #[arg(long, value_name = "FILE", requires = "max_lateness")]
    pub(crate) late: Option<PathBuf>,

    /// A line whose time is further ahead of the clock is bad (`clock_step`), since it would make the window forget. The first
    /// line's time is taken on trust
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, requires = "time")]
    pub(crate) max_step: Option<Millis>,

    /// The grain of forgetting: an id is remembered for up to a bucket longer than the window [default: window / 60]
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    pub(crate) bucket: Option<Millis>,

    /// How many ids are held at most: a ceiling for memory
    #[arg(long, value_name = "N")]
    pub(crate) max_ids: Option<u64>,

    /// What to do when they are: forget the oldest (counted as evicted), or stop with `full`
    #[arg(long, value_enum, default_value = "evict_oldest", requires = "max_ids")]
    pub(crate) on_full: WhenFull,

    /// What to do with a line that does not parse or lacks its id or time; it is counted and reported in any case
    #[arg(long, value_enum, default_value = "fail")]
    pub(crate) on_bad: OnBad,

    /// What separates the fields of CSV: one ASCII character, or `\t`
    #[arg(long, value_name = "CHAR", default_value = ",", value_parser = delimiter)]
    pub(crate) delimiter: u8,

    /// The CSV has no header: its columns are `#1`, `#2`, …
    #[arg(long)]
    pub(crate) no_header: bool,

    /// How the summary is written to standard error. In it, `behind` counts events more than a window behind the clock: many of them
    /// mean that one event's time was far ahead, or that the file is badly ordered
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) summary: Summary,
}

const PLAN: &str = "\
Examples:
  What remembering ten minutes of 100 000 events a second takes:
    firstseen plan --rate 100k/s --window 10m

  With less memory, where one event in a thousand may be lost:
    firstseen plan --rate 6M/h --window 1d --budget 256MiB --false-drop-rate 0.001

Bytes are those at the peak of a window's growth, at a steady rate. `false drops a day` counts new events that are taken for
duplicates, and lost. An id is remembered for at least the window, and at most for what stands in the last column.";

/// Compares what the memories take for a load, and recommends one
#[derive(Args, Debug)]
#[command(after_help = PLAN)]
pub(crate) struct Plan {
    /// How many events come, of ids that differ; redeliveries may be counted or not
    #[arg(long, value_name = "RATE", value_parser = quantity::rate)]
    pub(crate) rate: f64,

    /// For how long an id is to be remembered, at least
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    pub(crate) window: Millis,

    /// How much memory there is
    #[arg(long, value_name = "SIZE", value_parser = quantity::size)]
    pub(crate) budget: Option<u64>,

    /// Which share of new events may be lost, from 1e-10 to 0.5; without it none may, and no filter is recommended
    #[arg(long, value_name = "SHARE")]
    pub(crate) false_drop_rate: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON text per line
    Ndjson,
    /// Records of fields (RFC 4180), the first of each file being its header
    Csv,
    /// Each line is an id
    Lines,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnBad {
    /// Print it
    Pass,
    /// Do not print it
    Drop,
    /// Stop, with exit status 1
    Fail,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Summary {
    /// A name and a value per line
    Text,
    /// One JSON object, durations in milliseconds
    Json,
    /// Nothing
    None,
}

/// The core's [`OnFull`], by the names that it has in every host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WhenFull {
    #[value(name = "evict_oldest", alias = "evict-oldest")]
    EvictOldest,
    Reject,
}

impl From<WhenFull> for OnFull {
    fn from(when: WhenFull) -> Self {
        match when {
            WhenFull::EvictOldest => Self::EvictOldest,
            WhenFull::Reject => Self::Reject,
        }
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !b"\"\r\n".contains(byte) => Ok(*byte),
        _ => Err(
            "accepted: one ASCII character other than a quote or a line end, or `\\t`".to_owned(),
        ),
    }
}
