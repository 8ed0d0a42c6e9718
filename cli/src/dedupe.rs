//! The way of the events: from the files through the window to the outputs.

use std::path::PathBuf;

use firstseen::{Error, Exact, Key, Millis, Now, SteadyClock, Verdict, Window};

use crate::args::{self, Dedupe, OnBad};
use crate::csv::Csv;
use crate::failure::{Bad, Failure};
use crate::format::{Fault, Format, Record};
use crate::input::{self, Input};
use crate::json::Ndjson;
use crate::lines::Lines;
use crate::output::{self, Output};
use crate::report::{Counts, Report, Totals};

/// Reads all files, and says what came of it.
pub(crate) fn run(options: &Dedupe) -> Result<(), Failure> {
    let mut files = options.files.clone();
    if files.is_empty() {
        files.push(PathBuf::from("-"));
    }
    // What can be wrong is looked at before anything is written. Whether CSV has the columns shows only later:
    // until then, the outputs are left as they are.
    check(options)?;
    let window = build(options)?;
    let printer = window.fingerprinter();
    let (ids, time, unit) = (&options.id, options.time.as_deref(), options.time_unit);
    match options.format {
        args::Format::Lines => {
            Run::new(options, &files, window)?.stream(&files, Lines::new(printer))
        }
        args::Format::Ndjson => {
            let format = Ndjson::new(printer, ids, time, unit).map_err(Failure::Usage)?;
            Run::new(options, &files, window)?.stream(&files, format)
        }
        args::Format::Csv => {
            let (delimiter, header) = (options.delimiter, !options.no_header);
            let format =
                Csv::new(printer, ids, time, unit, delimiter, header).map_err(Failure::Usage)?;
            Run::new(options, &files, window)?.stream(&files, format)
        }
    }
}

fn check(options: &Dedupe) -> Result<(), Failure> {
    let lines = options.format == args::Format::Lines;
    let csv = options.format == args::Format::Csv;
    let wrong = if lines && (!options.id.is_empty() || options.time.is_some()) {
        "`--format lines` takes no `--id` and no `--time`: the whole line is the id"
    } else if !lines && options.id.is_empty() {
        "`--id` is missing: where in an event is its id? (`--format lines` takes the whole line)"
    } else if !csv && (options.no_header || options.delimiter != b',') {
        "`--no-header` and `--delimiter` are for `--format csv`"
    } else {
        return Ok(());
    };
    Err(Failure::Usage(wrong.to_owned()))
}

fn build(options: &Dedupe) -> Result<Window<Exact>, Failure> {
    let mut config = Window::exact(options.window).on_full(options.on_full.into());
    if let Some(bucket) = options.bucket {
        config = config.bucket(bucket);
    }
    if let Some(max_ids) = options.max_ids {
        config = config.max_ids(max_ids);
    }
    if let Some(max_step) = options.max_step {
        config = config.max_step(max_step);
    }
    if let Some(max_lateness) = options.max_lateness {
        config = config.max_lateness(max_lateness);
    }
    config
        .build()
        .map_err(|error| Failure::Usage(format!("{}: {error}", error.code())))
}

/// One run's window, outputs and counts.
struct Run {
    window: Window<Exact>,
    clock: SteadyClock,
    /// The largest event time so far, or the clock's reading when the bytes at hand came.
    now: Millis,
    event_time: bool,
    window_ms: u64,
    firsts: Output,
    duplicates: Option<Output>,
    late: Option<Output>,
    /// Whether the outputs were emptied of what was in them before.
    begun: bool,
    on_bad: OnBad,
    counts: Counts,
    report: Report,
    summary: args::Summary,
}

impl Run {
    fn new(options: &Dedupe, files: &[PathBuf], window: Window<Exact>) -> Result<Self, Failure> {
        input::check(files)?;
        let mut in_use = output::standard_files();
        let firsts_to_file = options
            .output
            .as_deref()
            .is_some_and(|path| !input::is_dash(path));
        let firsts = match &options.output {
            Some(path) if !input::is_dash(path) => Output::create(path, &mut in_use)?,
            _ => Output::stdout()?,
        };
        let mut create = |path: &Option<PathBuf>| {
            let output = path.as_ref().map(|path| Output::create(path, &mut in_use));
            output.transpose()
        };
        let (duplicates, late) = (create(&options.duplicates)?, create(&options.late)?);
        input::check_unwritten(files, &in_use)?;
        Ok(Self {
            clock: SteadyClock::new(window.bucket()),
            now: Millis(0),
            event_time: options.time.is_some(),
            window_ms: options.window.0,
            firsts,
            duplicates,
            late,
            begun: false,
            on_bad: options.on_bad,
            counts: Counts::default(),
            report: Report::new(files, !firsts_to_file),
            summary: options.summary,
            window,
        })
    }

    fn stream(mut self, files: &[PathBuf], mut format: impl Format) -> Result<(), Failure> {
        let result = self.read_all(files, &mut format);
        let result = match result {
            Err(Failure::Usage(_)) => result,
            Err(_) if self.counts.lines == 0 => result,
            _ => result.and(self.begin()),
        };
        // Also after a failure: what was judged so far is right, and is not held back.
        let result = result.and(self.flush());
        self.report.finish();
        if matches!(result, Err(Failure::BrokenPipe)) {
            return result;
        }
        let as_of = if self.event_time {
            Now::Unsaid
        } else {
            Now::Clock(self.clock.now())
        };
        if let Ok(stats) = self.window.stats(as_of) {
            let totals = Totals {
                counts: self.counts,
                stats,
                event_time: self.event_time,
            };
            totals.say(self.summary);
        }
        result
    }

    fn read_all(&mut self, files: &[PathBuf], format: &mut impl Format) -> Result<(), Failure> {
        let mut read = 0;
        for path in files {
            let mut input = Input::open(path)?;
            format.begin();
            self.read_file(&mut input, format, read)?;
            read += input.read;
        }
        Ok(())
    }

    fn read_file(
        &mut self,
        input: &mut Input,
        format: &mut impl Format,
        before: u64,
    ) -> Result<(), Failure> {
        let mut line = 1;
        loop {
            let Some(frame) = format.frame(input.data(), input.ended()) else {
                if input.ended() {
                    return Ok(());
                }
                // Reading may block for long: whoever waits for these events gets them now.
                self.flush()?;
                input.fill()?;
                self.report.progress(before + input.read);
                if !self.event_time {
                    self.now = self.clock.now();
                }
                continue;
            };
            let bytes = input.take(frame.length);
            let record = format.read(bytes);
            if !self.begun && format.ready() {
                self.begin()?;
            }
            if let Err(fault) = self.handle(record, bytes) {
                self.fault(fault, &format!("{}:{line}", input.name), frame.lines)?;
            }
            line += frame.lines;
        }
    }

    #[inline]
    fn handle(&mut self, record: Result<Record, Fault>, bytes: &[u8]) -> Result<(), Fault> {
        let stop = Fault::Stop;
        match record {
            Ok(Record::Event(print, at)) => return self.judge(print, at, bytes),
            Ok(Record::Blank) => {
                self.counts.lines += 1;
                self.counts.blank += 1;
            }
            Ok(Record::Header { first: true }) => {
                for output in self.outputs() {
                    output.write(bytes).map_err(stop)?;
                }
            }
            Ok(Record::Header { first: false }) => {}
            Err(Fault::Bad(bad)) => return self.bad(bad, bytes),
            Err(fault) => return Err(fault),
        }
        Ok(())
    }

    #[inline]
    fn judge(&mut self, key: Key, at: Option<Millis>, bytes: &[u8]) -> Result<(), Fault> {
        let now = match at {
            Some(at) => {
                let now = self.now.max(at);
                self.counts.behind += u64::from(now.0 - at.0 > self.window_ms);
                Now::Told(now)
            }
            None => Now::Clock(self.now),
        };
        let verdict = match self.window.record(key, now, at) {
            Ok(verdict) => verdict,
            Err(error @ (Error::Full { .. } | Error::OutOfMemory)) => {
                self.counts.lines += 1;
                self.counts.rejected += 1;
                return Err(Fault::Stop(Failure::Data(Bad::from(error).to_string())));
            }
            Err(error) => return self.bad(error.into(), bytes),
        };
        if let Now::Told(now) = now {
            self.now = now;
        }
        self.counts.lines += 1;
        let (count, output) = match verdict {
            Verdict::First => (&mut self.counts.first, Some(&mut self.firsts)),
            Verdict::Late => (&mut self.counts.late, self.late.as_mut()),
            // Every other verdict says: do not process it again.
            _ => (&mut self.counts.duplicate, self.duplicates.as_mut()),
        };
        *count += 1;
        match output {
            Some(output) => output.write(bytes).map_err(Fault::Stop),
            None => Ok(()),
        }
    }

    #[cold]
    fn bad(&mut self, bad: Bad, bytes: &[u8]) -> Result<(), Fault> {
        self.counts.lines += 1;
        self.counts.bad += 1;
        if self.on_bad == OnBad::Pass {
            self.firsts.write(bytes).map_err(Fault::Stop)?;
        }
        Err(Fault::Bad(bad))
    }

    /// Reports a fault of a record of so many lines, and stops if nothing may come after it.
    #[cold]
    fn fault(&mut self, mut fault: Fault, place: &str, lines: u64) -> Result<(), Failure> {
        if let Fault::Bad(bad) = &mut fault {
            self.counts.bad_lines += lines;
            if lines > 1 {
                bad.message
                    .push_str(&format!("; the record takes {lines} lines"));
            }
        }
        match fault {
            Fault::Bad(bad) if self.on_bad == OnBad::Fail => {
                Err(Failure::Data(format!("{place}: {bad}")))
            }
            Fault::Bad(bad) => {
                self.report.bad(place, &bad, self.counts.bad);
                Ok(())
            }
            Fault::Stop(Failure::Data(message)) => {
                Err(Failure::Data(format!("{place}: {message}")))
            }
            Fault::Stop(Failure::Usage(message)) => {
                Err(Failure::Usage(format!("{place}: {message}")))
            }
            Fault::Stop(failure) => Err(failure),
        }
    }

    /// Empties every output, once nothing can stop the run before its first record.
    #[cold]
    fn begin(&mut self) -> Result<(), Failure> {
        self.begun = true;
        self.outputs().try_for_each(Output::begin)
    }

    fn outputs(&mut self) -> impl Iterator<Item = &mut Output> {
        [
            Some(&mut self.firsts),
            self.duplicates.as_mut(),
            self.late.as_mut(),
        ]
        .into_iter()
        .flatten()
    }

    /// Flushes every output, also when another fails.
    fn flush(&mut self) -> Result<(), Failure> {
        let mut result = Ok(());
        for output in self.outputs() {
            result = result.and(output.flush());
        }
        result
    }
}
