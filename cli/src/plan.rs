//! `firstseen plan`: what each memory would take for a load.

use std::io::{self, Write as _};

use firstseen::sizing;

use crate::args::Plan;
use crate::failure::Failure;

/// Prints the core's table.
pub(crate) fn run(options: &Plan) -> Result<(), Failure> {
    let mut question = sizing::plan(options.rate, options.window);
    question.budget = options.budget;
    question.false_drop_rate = options.false_drop_rate;
    let plan = question
        .build()
        .map_err(|error| Failure::Usage(format!("{}: {error}", error.code())))?;
    writeln!(io::stdout(), "{plan}").map_err(|error| Failure::io("standard output", &error))
}
