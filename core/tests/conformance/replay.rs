//! One case, step by step.

use firstseen::{fingerprint, Error, Exact, Fingerprint, Key, Millis, Now, Secret, Stats, Window};
use serde::Deserialize;
use serde_json::{json, Map, Value};

use super::values::{hex, id, optional_time, time, to_hex, verdict, OwnedId};

/// A case of any kind: what does not belong to its kind is absent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    #[serde(rename = "why")]
    _why: String,
    #[serde(default, rename = "flags")]
    _flags: Vec<String>,
    hosts: Option<Vec<String>>,
    #[serde(default)]
    id: Value,
    #[serde(default)]
    secret: Value,
    #[serde(default)]
    fingerprint: Value,
    #[serde(default)]
    check_value: Value,
    #[serde(default)]
    error: Value,
    #[serde(default)]
    window: Value,
    #[serde(default)]
    sequences: Value,
    clock: Option<u64>,
    #[serde(default)]
    steps: Vec<Map<String, Value>>,
}

impl Case {
    pub(crate) fn for_rust(&self) -> bool {
        let hosts = self.hosts.as_ref();
        hosts.is_none_or(|hosts| hosts.iter().any(|host| host == "rust"))
    }
}

pub(crate) fn run(kind: &str, case: &Case) -> Result<(), String> {
    match kind {
        "fingerprint" => same(
            &outcome(print(case), |print| json!(to_hex(&print.to_bytes()))),
            &expected(&case.error, &case.fingerprint),
        ),
        "check_value" => {
            let secret = Secret::try_from(hex(&case.secret).as_slice());
            same(
                &outcome(secret, |secret| json!(to_hex(&secret.check_value()))),
                &expected(&case.error, &case.check_value),
            )
        }
        "scenario" => scenario(case),
        "sequences" => super::sequences::run(&case.sequences, &case.error, &case.steps),
        other => Err(format!("this host does not know vectors of kind {other}")),
    }
}

fn print(case: &Case) -> Result<Fingerprint, Error> {
    let id = id(&case.id)?;
    let secret = match &case.secret {
        Value::Null => Secret::default(),
        given => Secret::try_from(hex(given).as_slice())?,
    };
    id.with(|id| fingerprint(id, &secret))
}

fn scenario(case: &Case) -> Result<(), String> {
    let built = build(&case.window);
    if case.steps.is_empty() {
        let got = outcome(built, |_| json!("a window"));
        return same(&got, &json!({ "error": case.error }));
    }
    let mut host = Host {
        window: built.map_err(|error| error.to_string())?,
        clock: case.clock.map(Millis),
    };
    for (number, step) in case.steps.iter().enumerate() {
        host.step(step)
            .map_err(|message| format!("step {number} {}: {message}", json!(step)))?;
    }
    Ok(())
}

fn build(options: &Value) -> Result<Window, Error> {
    let mut options = options.as_object().unwrap().clone();
    let mut take = |name: &str| options.remove(name).unwrap_or(Value::Null);
    let bucket = optional_time("bucket", &take("bucket_ms"))?;
    let mut config = match take("from").as_str().unwrap() {
        "exact" => {
            let config = Window::exact(time("window", &take("window_ms"))?);
            match bucket {
                Some(bucket) => config.bucket(bucket),
                None => config,
            }
        }
        "buckets" => Window::from_buckets(bucket.unwrap(), take("buckets").as_u64().unwrap()),
        other => panic!("this host does not know windows from {other}"),
    };
    match take("max_ids") {
        Value::Null => {}
        given => config = config.max_ids(given.as_u64().unwrap()),
    }
    match take("on_full") {
        Value::Null => {}
        given => config = config.on_full(given.as_str().unwrap().parse()?),
    }
    match take("secret") {
        Value::Null => {}
        given => config = config.secret(Secret::try_from(hex(&given).as_slice())?),
    }
    if let Some(step) = optional_time("max_step", &take("max_step_ms"))? {
        config = config.max_step(step);
    }
    if let Some(lateness) = optional_time("max_lateness", &take("max_lateness_ms"))? {
        config = config.max_lateness(lateness);
    }
    assert!(options.is_empty(), "unknown options: {options:?}");
    config.build()
}

struct Host {
    window: Window<Exact>,
    clock: Option<Millis>,
}

impl Host {
    fn step(&mut self, step: &Map<String, Value>) -> Result<(), String> {
        let at = |name: &str| step.get(name).unwrap_or(&Value::Null);
        if let Some(bounds) = step.get("at_most") {
            let stats = self.stats(at("now")).map_err(|error| error.to_string())?;
            for (name, most) in bounds.as_object().unwrap() {
                if stats[name].as_u64().unwrap() > most.as_u64().unwrap() {
                    return Err(format!("{name} is {}", stats[name]));
                }
            }
        }
        let wanted = match at("call").as_str().unwrap() {
            // A step that bounds figures only.
            "stats" if step.get("returns").is_none() && step.get("error").is_none() => {
                return Ok(())
            }
            _ => expected(at("error"), at("returns")),
        };
        let got = match at("call").as_str().unwrap() {
            "set_clock" => {
                self.clock = Some(time("clock", at("ms")).unwrap());
                return Ok(());
            }
            "fill" => self.fill(step),
            "first_seen" => self.observe(step).map(|verdict| json!(verdict.is_first())),
            "observe" => self.observe(step).map(|it| verdict(&it)),
            "check" => id(at("id")).and_then(|id| {
                id.print(&self.window.fingerprinter())?;
                let now = self.now(at("now"))?;
                let answer = id.with(|id| self.window.check(id, now))?;
                Ok(verdict(&answer))
            }),
            "first_seen_many" => self.many(step, |verdict| json!(verdict.is_first())),
            "observe_many" => self.many(step, |it| verdict(&it)),
            "check_many" => self.check_many(step),
            "forget" => id(at("id"))
                .and_then(|id| id.with(|id| self.window.forget(id)))
                .map(|it| json!(it)),
            "contains" => id(at("id"))
                .and_then(|id| id.with(|id| self.window.contains(id)))
                .map(|it| json!(it)),
            "len" => Ok(json!(self.window.len())),
            "advance" => self
                .now(at("now"))
                .and_then(|now| self.window.advance(now))
                .map(|()| Value::Null),
            "clear" => {
                self.window.clear();
                Ok(Value::Null)
            }
            "stats" => self.stats(at("now")).map(|mut stats| {
                if let Some(names) = at("returns").as_object() {
                    stats.retain(|name, _| names.contains_key(name));
                }
                Value::Object(stats)
            }),
            other => panic!("this host does not know the call {other}"),
        };
        same(&outcome(got, |value| value), &wanted)
    }

    /// As a binding resolves it: the clock is read only where the window wants it.
    fn now(&self, given: &Value) -> Result<Now, Error> {
        match (optional_time("now", given)?, self.clock) {
            (Some(told), _) => Ok(Now::Told(told)),
            (None, Some(clock)) if self.window.wants_clock() => Ok(Now::Clock(clock)),
            _ => Ok(Now::Unsaid),
        }
    }

    fn observe(&mut self, step: &Map<String, Value>) -> Result<firstseen::Verdict, Error> {
        let id = id(&step["id"])?;
        // Arguments are judged in their order; this host converts a time before it makes the call.
        id.print(&self.window.fingerprinter())?;
        let now = self.now(step.get("now").unwrap_or(&Value::Null))?;
        let at = optional_time("at", step.get("at").unwrap_or(&Value::Null))?;
        id.with(|id| self.window.observe(id, now, at))
    }

    fn prints(&self, step: &Map<String, Value>) -> Result<Vec<Key>, Error> {
        let ids = step["ids"]
            .as_array()
            .expect("this host takes a list of ids");
        let ids = ids.iter().map(id).collect::<Result<Vec<OwnedId>, _>>()?;
        let by = self.window.fingerprinter();
        ids.iter().map(|id| id.print(&by)).collect()
    }

    fn many(
        &mut self,
        step: &Map<String, Value>,
        each: impl Fn(firstseen::Verdict) -> Value,
    ) -> Result<Value, Error> {
        let prints = self.prints(step)?;
        let now = self.now(step.get("now").unwrap_or(&Value::Null))?;
        let mut answers = Vec::new();
        self.window
            .record_many(&prints, now, |verdict| answers.push(each(verdict)))?;
        Ok(Value::Array(answers))
    }

    fn check_many(&self, step: &Map<String, Value>) -> Result<Value, Error> {
        let prints = self.prints(step)?;
        let now = self.now(step.get("now").unwrap_or(&Value::Null))?;
        self.window.stats(now)?;
        let answers = prints
            .into_iter()
            .map(|print| self.window.look_up(print, now));
        let answers = answers.map(|answer| answer.map(|it| verdict(&it)));
        answers.collect::<Result<_, _>>().map(Value::Array)
    }

    fn fill(&mut self, step: &Map<String, Value>) -> Result<Value, Error> {
        let from: u64 = step["from"].as_str().unwrap().parse().unwrap();
        let mut firsts = 0_u64;
        for i in 0..step["count"].as_u64().unwrap() {
            let now = match step.get("now") {
                Some(now) => {
                    let told =
                        now.as_i64().unwrap() + i as i64 * step["now_step"].as_i64().unwrap();
                    Now::Told(Millis(told.try_into().unwrap()))
                }
                None => self.now(&Value::Null)?,
            };
            firsts += u64::from(self.window.first_seen(from + i, now)?);
        }
        Ok(json!(firsts))
    }

    fn stats(&self, now: &Value) -> Result<Map<String, Value>, Error> {
        let Stats {
            checked,
            first,
            duplicate,
            probable_duplicate,
            in_flight,
            late,
            rejected,
            expired,
            evicted,
            forgotten,
            leases_expired,
            clock_regressions,
            clock_resets,
            held,
            pending,
            max_ids,
            memory_bytes,
            window_ms,
            bucket_ms,
            buckets,
            effective_window_ms,
            oldest_age_ms,
            fill_ratio,
            estimated_false_drop_rate,
            ..
        } = self.window.stats(self.now(now)?)?;
        let record = json!({
            "checked": checked, "first": first, "duplicate": duplicate,
            "probable_duplicate": probable_duplicate, "in_flight": in_flight, "late": late,
            "rejected": rejected, "expired": expired, "evicted": evicted, "forgotten": forgotten,
            "leases_expired": leases_expired, "clock_regressions": clock_regressions,
            "clock_resets": clock_resets, "held": held, "pending": pending, "max_ids": max_ids,
            "memory_bytes": memory_bytes, "window_ms": window_ms, "bucket_ms": bucket_ms,
            "buckets": buckets, "effective_window_ms": effective_window_ms,
            "oldest_age_ms": oldest_age_ms, "fill_ratio": fill_ratio,
            "estimated_false_drop_rate": estimated_false_drop_rate,
        });
        Ok(record.as_object().unwrap().clone())
    }
}

pub(crate) fn outcome<T>(result: Result<T, Error>, value: impl FnOnce(T) -> Value) -> Value {
    match result {
        Ok(it) => value(it),
        Err(error) => json!({ "error": error.code() }),
    }
}

pub(crate) fn expected(error: &Value, returns: &Value) -> Value {
    match error {
        Value::Null => returns.clone(),
        code => json!({ "error": code }),
    }
}

/// Equality in which `1` and `1.0` are one number.
pub(crate) fn same(got: &Value, wanted: &Value) -> Result<(), String> {
    let equal = match (got, wanted) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(name, value)| {
                    b.get(name).is_some_and(|other| same(value, other).is_ok())
                })
        }
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => {
            a.as_f64() == b.as_f64()
        }
        _ => got == wanted,
    };
    if equal {
        Ok(())
    } else {
        Err(format!("got {got}, wanted {wanted}"))
    }
}
