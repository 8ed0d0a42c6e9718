//! OpenMetrics text, as the vectors write it.

use firstseen::{Error, Now, OpenMetrics};
use serde_json::{Map, Value};

use super::replay::window_after;
use super::sequences::sequences_after;
use super::values::optional_time;

/// The text of these windows and sequences by their names; a step that went wrong is the outer error.
pub(crate) fn lines(
    windows: &Map<String, Value>,
    now: &Value,
) -> Result<Result<Vec<String>, Error>, String> {
    let mut metrics = OpenMetrics::new();
    for (name, each) in windows {
        let steps = each["steps"].as_array().unwrap().iter();
        let steps: Vec<_> = steps
            .map(|step| step.as_object().unwrap().clone())
            .collect();
        let added = if let Some(options) = each.get("sequences") {
            let sequences = sequences_after(options, &steps)?;
            told(now)
                .and_then(|now| sequences.stats(now))
                .and_then(|stats| metrics.sequences(&[("sequences", name)], &stats))
        } else {
            let window = window_after(&each["window"], &steps)?;
            told(now)
                .and_then(|now| window.stats(now))
                .and_then(|stats| metrics.window(&[("window", name)], &stats))
        };
        if let Err(error) = added {
            return Ok(Err(error));
        }
    }
    Ok(metrics.text().map(|text| text.lines().map(plain).collect()))
}

fn told(now: &Value) -> Result<Now, Error> {
    Ok(optional_time("now", now)?.map_or(Now::Unsaid, Now::Told))
}

/// How many bytes there are depends on the machine.
fn plain(line: &str) -> String {
    match line.split_once("memory_bytes{").zip(line.rsplit_once(' ')) {
        Some((_, (sample, bytes))) => {
            assert!(bytes.parse::<u64>().is_ok(), "{line}");
            format!("{sample} *")
        }
        None => line.to_owned(),
    }
}
