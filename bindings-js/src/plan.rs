//! A plan: four numbers in, figures and a text out.

use firstseen::sizing::{self, Choice, MemoryKind, Plan};
use firstseen::{Error, Millis};

use crate::convert::{chunk, count};
use crate::{error, flag, room, Engine};

impl<C> Engine<C> {
    /// Plans by the four numbers at the beginning of `input`, NaN for an option that is not given. Leaves the figures in the order of
    /// `facade/plan.ts`, and in `input` the reason, a line break, and the table, as far as there is room; answers their length.
    pub fn plan(&mut self, input: &mut [u8]) -> f64 {
        self.answers.clear();
        let planned = read(input).and_then(|plan| {
            room(&mut self.answers, 2 + 3 * 6)?;
            self.answers.extend(head(&plan));
            for each in [Some(&plan.exact), plan.cuckoo.as_ref(), plan.bloom.as_ref()] {
                self.answers.extend(choice(each));
            }
            let text = format_args!("{}\n{plan}", plan.reason());
            Ok(error::write_text(text, input) as f64)
        });
        self.answer(planned)
    }
}

fn read(mut input: &[u8]) -> Result<Plan, Error> {
    let mut number = || -> Result<f64, Error> { Ok(f64::from_le_bytes(chunk(&mut input)?)) };
    let [rate, window, budget, false_drop_rate] = [number()?, number()?, number()?, number()?];
    let mut config = sizing::plan(rate, Millis::from_ms("window", window)?);
    if !budget.is_nan() {
        config = config.budget(count("budget", budget, "1 to 2^53-1 bytes")?);
    }
    if !false_drop_rate.is_nan() {
        config = config.false_drop_rate(false_drop_rate);
    }
    config.build()
}

/// The ids expected, and which memory is recommended.
fn head(plan: &Plan) -> [f64; 2] {
    let recommended = match plan.recommended {
        None => 0.0,
        Some(MemoryKind::Exact) => 1.0,
        Some(MemoryKind::Cuckoo) => 2.0,
        Some(_) => 3.0,
    };
    [plan.expected_ids as f64, recommended]
}

/// All NaN for none.
fn choice(choice: Option<&Choice>) -> [f64; 6] {
    choice.map_or([f64::NAN; 6], |choice| {
        [
            choice.bytes as f64,
            flag(choice.fits),
            choice.false_drop_rate,
            choice.false_drops_per_day,
            choice.remembered.0 as f64,
            choice.fitting_window.map_or(f64::NAN, |it| it.0 as f64),
        ]
    })
}
