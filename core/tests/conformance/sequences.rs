//! A case of sequences, step by step.

use firstseen::{Error, Id, Now, SequenceStats, SequenceVerdict, Sequences};
use serde_json::{json, Map, Value};

use super::replay::{expected, outcome, same};
use super::values::{id, optional_time, OwnedId};

type Step = Map<String, Value>;

pub(crate) fn run(options: &Value, error: &Value, steps: &[Step]) -> Result<(), String> {
    let built = build(options);
    if steps.is_empty() {
        let got = outcome(built, |_| json!("sequences"));
        return same(&got, &json!({ "error": error }));
    }
    let sequences = built.map_err(|error| error.to_string())?;
    self::steps(sequences, steps).map(drop)
}

/// Sequences of these options, after these steps.
pub(super) fn sequences_after(options: &Value, done: &[Step]) -> Result<Sequences, String> {
    let sequences = build(options).map_err(|error| error.to_string())?;
    steps(sequences, done)
}

/// Sequences after these steps.
fn steps(mut sequences: Sequences, steps: &[Step]) -> Result<Sequences, String> {
    for (number, step) in steps.iter().enumerate() {
        let wanted = expected(at(step, "error"), at(step, "returns"));
        let got = outcome(call(&mut sequences, step), |value| value);
        same(&got, &wanted)
            .map_err(|message| format!("step {number} {}: {message}", json!(step)))?;
    }
    Ok(sequences)
}

fn at<'a>(step: &'a Step, name: &str) -> &'a Value {
    step.get(name).unwrap_or(&Value::Null)
}

fn build(options: &Value) -> Result<Sequences, Error> {
    let mut options = options.as_object().unwrap().clone();
    let mut take = |name: &str| options.remove(name).unwrap_or(Value::Null);
    let mut config = Sequences::with_width(take("width").as_u64().unwrap());
    match take("max_producers") {
        Value::Null => {}
        given => config = config.max_producers(given.as_u64().unwrap()),
    }
    if let Some(idle) = optional_time("idle", &take("idle_ms"))? {
        config = config.idle(idle);
    }
    assert!(options.is_empty(), "unknown options: {options:?}");
    config.build()
}

/// A seq or an epoch, by its digits.
fn number(name: &'static str, value: &Value) -> Result<u64, Error> {
    let wide: i128 = value.as_str().unwrap().parse().unwrap();
    // The library's own refusal of a number that a caller has in a wider type.
    match Id::try_from(wide) {
        Ok(Id::Int(number)) => Ok(number),
        Ok(other) => panic!("an integer became {other:?}"),
        Err(_) => Err(Error::invalid_number(name, "out of range")),
    }
}

fn call(sequences: &mut Sequences, step: &Step) -> Result<Value, Error> {
    match at(step, "call").as_str().unwrap() {
        "first_seen" => {
            let (producer, seq, epoch, now) = arguments(sequences, step)?;
            let first = producer.with(|id| sequences.first_seen(id, seq, epoch, now));
            first.map(|first| json!(first))
        }
        "observe" => {
            let (producer, seq, epoch, now) = arguments(sequences, step)?;
            let verdict = producer.with(|id| sequences.observe(id, seq, epoch, now));
            verdict.map(|verdict| record(&verdict))
        }
        "forget" => id(at(step, "producer"))?
            .with(|id| sequences.forget(id))
            .map(|held| json!(held)),
        "len" => Ok(json!(sequences.len())),
        "stats" => stats(sequences, step),
        other => panic!("this host does not know the call {other}"),
    }
}

fn now(step: &Step) -> Result<Now, Error> {
    let told = optional_time("now", at(step, "now"))?;
    Ok(told.map_or(Now::Unsaid, Now::Told))
}

fn arguments(sequences: &Sequences, step: &Step) -> Result<(OwnedId, u64, u64, Now), Error> {
    let producer = id(at(step, "producer"))?;
    // Arguments are judged in their order; this host converts numbers and times before it makes the call.
    producer.with(|id| sequences.fingerprinter().fingerprint(id))?;
    let seq = number("seq", at(step, "seq"))?;
    let epoch = match at(step, "epoch") {
        Value::Null => 0,
        given => number("epoch", given)?,
    };
    Ok((producer, seq, epoch, now(step)?))
}

fn record(verdict: &SequenceVerdict) -> Value {
    match verdict.gap() {
        Some(gap) => json!({"kind": verdict.kind(), "gap": gap.to_string()}),
        None => json!({"kind": verdict.kind()}),
    }
}

fn stats(sequences: &Sequences, step: &Step) -> Result<Value, Error> {
    let SequenceStats {
        checked,
        first,
        duplicate,
        stale,
        fenced,
        gaps,
        expired,
        evicted,
        forgotten,
        clock_regressions,
        clock_resets,
        held,
        max_producers,
        width,
        idle_ms,
        ..
    } = sequences.stats(now(step)?)?;
    let all = json!({
        "checked": checked, "first": first, "duplicate": duplicate, "stale": stale, "fenced": fenced,
        "gaps": gaps, "expired": expired, "evicted": evicted, "forgotten": forgotten,
        "clock_regressions": clock_regressions, "clock_resets": clock_resets, "held": held,
        "max_producers": max_producers, "width": width, "idle_ms": idle_ms,
    });
    let mut all = all.as_object().unwrap().clone();
    if let Some(names) = at(step, "returns").as_object() {
        all.retain(|name, _| names.contains_key(name));
    }
    Ok(Value::Object(all))
}
