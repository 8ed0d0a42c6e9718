//! A case of `plan`.

use firstseen::sizing::{plan, Choice, Plan};
use firstseen::Error;
use serde_json::{json, Map, Value};

use super::replay::{expected, outcome, same};
use super::values::time;

pub(crate) fn run(options: &Value, error: &Value, returns: &Value) -> Result<(), String> {
    let got = outcome(make(options), |plan| record(&plan));
    same(&got, &expected(error, returns))
}

fn make(options: &Value) -> Result<Plan, Error> {
    let mut options: Map<String, Value> = options.as_object().unwrap().clone();
    let mut take = |name: &str| options.remove(name).unwrap_or(Value::Null);
    let mut config = plan(number(&take("rate")), time("window", &take("window_ms"))?);
    match take("budget") {
        Value::Null => {}
        given => config = config.budget(given.as_u64().unwrap()),
    }
    match take("false_drop_rate") {
        Value::Null => {}
        given => config = config.false_drop_rate(number(&given)),
    }
    assert!(options.is_empty(), "unknown options: {options:?}");
    config.build()
}

fn number(value: &Value) -> f64 {
    match value {
        Value::Number(number) => number.as_f64().unwrap(),
        tagged => tagged["float"].as_str().unwrap().parse().unwrap(),
    }
}

fn record(plan: &Plan) -> Value {
    let text = plan.to_string();
    json!({
        "expected_ids": plan.expected_ids,
        "recommended": plan.recommended.map(|memory| memory.name()),
        "exact": choice(&plan.exact),
        "cuckoo": plan.cuckoo.as_ref().map(choice),
        "bloom": plan.bloom.as_ref().map(choice),
        "text": text.lines().collect::<Vec<_>>(),
    })
}

fn choice(choice: &Choice) -> Value {
    json!({
        "bytes": choice.bytes,
        "fits": choice.fits,
        "false_drop_rate": choice.false_drop_rate,
        "false_drops_per_day": choice.false_drops_per_day,
        "remembered_ms": choice.remembered.0,
        "fitting_window_ms": choice.fitting_window.map(|window| window.0),
    })
}
