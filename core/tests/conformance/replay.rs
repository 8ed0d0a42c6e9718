//! One case, step by step.

use std::collections::BTreeMap;

use firstseen::{
    fingerprint, AnyConfig, AnySize, AnyWindow, Claim, Error, Fingerprint, Key, Load, Millis, Now,
    Secret, Span, Stats, Token,
};
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
    payload: Value,
    #[serde(default)]
    ignore: Value,
    #[serde(default)]
    only: Value,
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
    #[serde(default)]
    plan: Value,
    #[serde(default)]
    returns: Value,
    clock: Option<u64>,
    #[serde(default)]
    windows: Map<String, Value>,
    #[serde(default)]
    now: Value,
    #[serde(default)]
    lines: Value,
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
        "fingerprint_json" => {
            let lists = [&case.ignore, &case.only];
            let print = super::payloads::print(&case.payload, lists, &case.secret);
            same(
                &outcome(print, |print| json!(to_hex(&print.to_bytes()))),
                &expected(&case.error, &case.fingerprint),
            )
        }
        "check_value" => {
            let secret = Secret::try_from(hex(&case.secret).as_slice());
            same(
                &outcome(secret, |secret| json!(to_hex(&secret.check_value()))),
                &expected(&case.error, &case.check_value),
            )
        }
        "scenario" => scenario(case),
        "metrics" => same(
            &outcome(super::metrics::lines(&case.windows, &case.now)?, |lines| {
                json!(lines)
            }),
            &expected(&case.error, &case.lines),
        ),
        "sequences" => super::sequences::run(&case.sequences, &case.error, &case.steps),
        "plan" => super::plans::run(&case.plan, &case.error, &case.returns),
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
    let window = built.map_err(|error| error.to_string())?;
    steps(window, case.clock.map(Millis), &case.steps).map(drop)
}

/// A window after these steps.
fn steps(
    window: AnyWindow,
    clock: Option<Millis>,
    steps: &[Map<String, Value>],
) -> Result<AnyWindow, String> {
    let mut host = Host {
        window,
        clock,
        tokens: BTreeMap::new(),
        last: 0,
    };
    for (number, step) in steps.iter().enumerate() {
        host.step(step)
            .map_err(|message| format!("step {number} {}: {message}", json!(step)))?;
    }
    Ok(host.window)
}

/// A window of these options, after these steps.
pub(super) fn window_after(
    options: &Value,
    done: &[Map<String, Value>],
) -> Result<AnyWindow, String> {
    let window = build(options).map_err(|error| error.to_string())?;
    steps(window, None, done)
}

fn build(options: &Value) -> Result<AnyWindow, Error> {
    let mut options = options.as_object().unwrap().clone();
    let mut take = |name: &str| options.remove(name).unwrap_or(Value::Null);
    let bucket = optional_time("bucket", &take("bucket_ms"))?;
    let from = take("from");
    let from = from.as_str().unwrap();
    let span = match from {
        "buckets" => Span::Buckets {
            bucket: bucket.unwrap(),
            buckets: take("buckets").as_u64().unwrap(),
        },
        _ => Span::Window {
            window: time("window", &take("window_ms"))?,
            bucket,
        },
    };
    let size = match from {
        "bloom" | "cuckoo" => {
            let ids = take("expected_ids").as_u64().unwrap();
            let load = Load::new(ids, take("false_drop_rate").as_f64().unwrap());
            if from == "bloom" {
                AnySize::Bloom(load)
            } else {
                AnySize::Cuckoo(load)
            }
        }
        "exact" | "buckets" => AnySize::Exact {
            max_ids: take("max_ids").as_u64(),
            detect_conflicts: take("detect_conflicts") == json!(true),
        },
        other => panic!("this host does not know windows from {other}"),
    };
    let mut config = AnyConfig::new(span, size);
    match take("on_full") {
        Value::Null => {}
        given => config.on_full = Some(given.as_str().unwrap().parse()?),
    }
    match take("secret") {
        Value::Null => {}
        given => config.secret = Secret::try_from(hex(&given).as_slice())?,
    }
    config.max_step = optional_time("max_step", &take("max_step_ms"))?;
    config.max_lateness = optional_time("max_lateness", &take("max_lateness_ms"))?;
    assert!(options.is_empty(), "unknown options: {options:?}");
    config.build()
}

struct Host {
    window: AnyWindow,
    clock: Option<Millis>,
    /// The case's names for tokens.
    tokens: BTreeMap<String, Token>,
    last: u64,
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
            "check" => self.key(step).and_then(|key| {
                let now = self.now(at("now"))?;
                Ok(verdict(&self.window.look_up(key, now)?))
            }),
            "claim" => self.claim(step),
            "claim_many" => self.claim_many(step),
            "commit" => self.now(at("now")).and_then(|now| {
                let token = self.token(at("token"));
                self.window.commit(token, now).map(|()| Value::Null)
            }),
            "commit_many" => self.now(at("now")).and_then(|now| {
                let tokens = at("tokens").as_array().unwrap().iter();
                let tokens: Vec<Token> = tokens.map(|name| self.token(name)).collect();
                self.window.commit_many(&tokens, now).map(|it| json!(it))
            }),
            "release" => {
                let token = self.token(at("token"));
                self.window.release(token).map(|()| Value::Null)
            }
            "renew" => time("lease", at("lease_ms")).and_then(|lease| {
                let (token, now) = (self.token(at("token")), self.now(at("now"))?);
                self.window.renew(token, lease, now).map(|()| Value::Null)
            }),
            "first_seen_many" => self.many(step, |verdict| json!(verdict.is_first())),
            "observe_many" => self.many(step, |it| verdict(&it)),
            "check_many" => self.check_many(step),
            "forget" => self
                .key(step)
                .and_then(|key| self.window.forget_key(key))
                .map(|it| json!(it)),
            "contains" => self
                .key(step)
                .map(|key| json!(self.window.contains_key(key))),
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

    fn key(&self, step: &Map<String, Value>) -> Result<Key, Error> {
        id(&step["id"])?.print(&self.window.fingerprinter())
    }

    /// Arguments are judged in their order; this host converts a time before it makes the call.
    fn observe(&mut self, step: &Map<String, Value>) -> Result<firstseen::Verdict, Error> {
        let key = self.key(step)?;
        let now = self.now(step.get("now").unwrap_or(&Value::Null))?;
        let at = optional_time("at", step.get("at").unwrap_or(&Value::Null))?;
        match step.get("body") {
            None => self.window.record(key, now, at),
            Some(body) => match id(body)? {
                OwnedId::Bytes(body) => self.window.record_body(key, &body, now, at),
                _ => panic!("a body is a text or bytes"),
            },
        }
    }

    fn token(&self, name: &Value) -> Token {
        let name = name.as_str().unwrap();
        self.tokens.get(name).copied().unwrap_or(Token(0))
    }

    fn claim(&mut self, step: &Map<String, Value>) -> Result<Value, Error> {
        let key = self.key(step)?;
        let lease = time("lease", &step["lease_ms"])?;
        let now = self.now(step.get("now").unwrap_or(&Value::Null))?;
        let at = optional_time("at", step.get("at").unwrap_or(&Value::Null))?;
        let claim = self.window.claim_key(key, lease, now, at)?;
        let names = step.get("as").into_iter().cloned().collect();
        Ok(self.named(names, &[claim]).remove(0))
    }

    fn claim_many(&mut self, step: &Map<String, Value>) -> Result<Value, Error> {
        let prints = self.prints(step)?;
        let lease = time("lease", &step["lease_ms"])?;
        let now = self.now(step.get("now").unwrap_or(&Value::Null))?;
        let claims = self.window.claim_keys(&prints, lease, now)?;
        let names = step.get("as").and_then(Value::as_array).cloned();
        let verdicts = self.named(names.unwrap_or_default(), &claims);
        Ok(Value::Array(verdicts))
    }

    /// The verdicts of claims, after a look at their tokens, which get their names.
    fn named(&mut self, names: Vec<Value>, claims: &[Claim]) -> Vec<Value> {
        for claim in claims {
            assert_eq!(claim.is_first(), claim.verdict.is_first());
            if let Some(Token(token)) = claim.token {
                assert!(token > self.last, "{token} after {}", self.last);
                self.last = token;
            }
        }
        for (name, claim) in names.into_iter().zip(claims) {
            let token = claim.token.unwrap_or(Token(0));
            self.tokens.insert(name.as_str().unwrap().into(), token);
        }
        claims.iter().map(|claim| verdict(&claim.verdict)).collect()
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
            let key = self.window.fingerprinter().key(from + i)?;
            firsts += u64::from(self.window.record(key, now, None)?.is_first());
        }
        Ok(json!(firsts))
    }

    fn stats(&self, now: &Value) -> Result<Map<String, Value>, Error> {
        let Stats {
            checked,
            first,
            duplicate,
            conflict,
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
            "checked": checked, "first": first, "duplicate": duplicate, "conflict": conflict,
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
