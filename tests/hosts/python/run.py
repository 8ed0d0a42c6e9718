"""Runs the conformance vectors against the installed package.

    python tests/hosts/python/run.py --vectors tests/vectors [--generated DIR]

Each case runs twice, with its times as timedeltas and as numbers of seconds. The last line is
`python: N passed, N failed`; the exit code is 0 only if every case that the manifest declares for this host, and every
generated one, was run and passed.
"""

import argparse
import json
import sys
from pathlib import Path

import exposed
import firstseen
import numbered
import payloads
import plans
from firstseen import FirstSeenError, Window
from values import (
    as_number,
    as_timedelta,
    batch_value,
    count_value,
    id_value,
    time_value,
    verdict_record,
)

HOST = "python"


class Clock:
    """A fake clock; it reads whatever it is set to, good or bad."""

    def __init__(self, reading):
        self.reading = reading

    def __call__(self):
        return self.reading


class Mismatch(Exception):
    """An answer that is not the one that the case expects."""


def code_of(call):
    """What a call returns and None, or None and the code of its refusal."""
    try:
        return call(), None
    except FirstSeenError as error:
        assert error.code in firstseen.ERROR_CODES, f"unknown code {error.code!r}"
        return None, error.code


def expect(found, expected):
    # A boolean is no number, and True == 1.
    if found != expected or isinstance(found, bool) != isinstance(expected, bool):
        raise Mismatch(f"{found!r}, expected {expected!r}")


def take(record, known):
    """The record without what only describes it; an unknown key is a mistake of this runner."""
    unknown = record.keys() - known
    if unknown:
        raise Mismatch(f"unknown keys {sorted(unknown)}")
    return record


def run_fingerprint(case, _):
    take(case, ABOUT | {"id", "secret", "fingerprint", "error"})
    options = {"secret": bytes.fromhex(case["secret"])} if "secret" in case else {}
    found, code = code_of(lambda: firstseen.fingerprint(id_value(case["id"]), **options).hex())
    expect((found, code), (case.get("fingerprint"), case.get("error")))


def run_fingerprint_json(case, _):
    take(case, ABOUT | payloads.KEYS)
    for value in payloads.forms(case["payload"]):
        for container in (list, tuple):
            found = code_of(lambda value=value, container=container: payloads.fingerprint(case, value, container))
            expect(found, (case.get("fingerprint"), case.get("error")))


ABOUT = {"name", "why", "flags", "hosts"}
WINDOW_TIMES = {"window_ms", "bucket_ms", "max_step_ms", "max_lateness_ms"}
MAKERS = {
    "exact": Window.exact,
    "buckets": Window.from_buckets,
    "bloom": Window.bloom,
    "cuckoo": Window.cuckoo,
}


def make_window(case, of_ms):
    options, clock = {}, None
    for key, value in case["window"].items():
        if key in WINDOW_TIMES:
            options[key.removesuffix("_ms")] = time_value(value, of_ms)
        elif key in ("max_ids", "buckets", "expected_ids"):
            options[key] = count_value(value)
        elif key == "secret":
            options[key] = bytes.fromhex(value)
        elif key in ("on_full", "false_drop_rate", "detect_conflicts"):
            options[key] = value
        elif key != "from":
            raise Mismatch(f"unknown option {key}")
    if "clock" in case:
        clock = options["clock"] = Clock(of_ms(case["clock"]))
    return MAKERS[case["window"]["from"]](**options), clock


class Tokens:
    """A case's names for tokens."""

    def __init__(self):
        self.names, self.last = {}, 0

    def of(self, name):
        return self.names.get(name, 0)

    def named(self, step, claims):
        """The verdicts of claims, after a look at their tokens, which get their names."""
        names = step.get("as", [])
        names = [names] if isinstance(names, str) else names
        for claim in claims:
            assert claim.first is claim.verdict.first is (claim.token is not None), f"{claim!r}"
            assert claim.token is None or claim.token > self.last, f"{claim!r} after {self.last}"
            self.last = claim.token or self.last
        self.names.update((name, claim.token or 0) for name, claim in zip(names, claims, strict=False))
        return [verdict_record(claim.verdict) for claim in claims]


def call_step(window, clock, tokens, step, of_ms):
    """What one step returns, as the vectors write it."""
    name = step["call"]
    times = {key: time_value(step[key], of_ms) for key in ("now", "at") if key in step}
    if "lease_ms" in step:
        times["lease"] = time_value(step["lease_ms"], of_ms)
    if "body" in step:
        times["body"] = id_value(step["body"])
    if name in ("first_seen", "forget"):
        return getattr(window, name)(id_value(step["id"]), **times)
    if name == "contains":
        return id_value(step["id"]) in window
    if name in ("observe", "check"):
        return verdict_record(getattr(window, name)(id_value(step["id"]), **times))
    if name == "first_seen_many":
        return window.first_seen_many(batch_value(step["ids"]), **times)
    if name in ("observe_many", "check_many"):
        verdicts = getattr(window, name)(batch_value(step["ids"]), **times)
        return [verdict_record(verdict) for verdict in verdicts]
    if name == "claim":
        return tokens.named(step, [window.claim(id_value(step["id"]), **times)])[0]
    if name == "claim_many":
        return tokens.named(step, window.claim_many(batch_value(step["ids"]), **times))
    if name in ("commit", "release", "renew"):
        return getattr(window, name)(tokens.of(step["token"]), **times)
    if name == "commit_many":
        return window.commit_many([tokens.of(name) for name in step["tokens"]], **times)
    if name == "len":
        return len(window)
    if name in ("advance", "clear"):
        return getattr(window, name)(**times)
    if name == "stats":
        return window.stats(**times)
    if name == "set_clock":
        clock.reading = time_value(step["ms"], of_ms)
        return None
    if name == "fill":
        return fill(window, step, of_ms)
    raise Mismatch(f"unknown call {name}")


def fill(window, step, of_ms):
    first = 0
    for index in range(step["count"]):
        number = int(step["from"]) + index
        if "now" in step:
            first += window.first_seen(number, of_ms(step["now"] + index * step["now_step"]))
        else:
            first += window.first_seen(number)
    return first


STEP_KEYS = {
    "call",
    "id",
    "ids",
    "now",
    "at",
    "ms",
    "from",
    "count",
    "now_step",
    "lease_ms",
    "as",
    "token",
    "tokens",
    "body",
}


def run_step(window, clock, tokens, step, of_ms):
    take(step, STEP_KEYS | {"returns", "at_most", "error"})
    found, code = code_of(lambda: call_step(window, clock, tokens, step, of_ms))
    expect(code, step.get("error"))
    if code is not None:
        return
    if step["call"] != "stats":
        expect(found, step.get("returns"))
        return
    expected = step.get("returns", {})
    expect({name: getattr(found, name) for name in expected}, expected)
    for name, most in step.get("at_most", {}).items():
        if getattr(found, name) > most:
            raise Mismatch(f"{name} is {getattr(found, name)}, expected at most {most}")


def run_scenario(case, of_ms):
    take(case, ABOUT | {"window", "clock", "error", "steps"})
    made, code = code_of(lambda: make_window(case, of_ms))
    expect(code, case.get("error"))
    if code is not None:
        return
    run_steps(*made, case["steps"], of_ms)


def run_steps(window, clock, steps, of_ms):
    tokens = Tokens()
    for number, step in enumerate(steps):
        try:
            run_step(window, clock, tokens, step, of_ms)
        except Exception as error:
            raise Mismatch(f"step {number} {json.dumps(step)[:300]}: {error!r}") from error


def run_sequences(case, of_ms):
    take(case, ABOUT | {"sequences", "error", "steps"})
    sequences, code = code_of(lambda: numbered.make(case, of_ms))
    expect(code, case.get("error"))
    if code is not None:
        return
    run_numbered(sequences, case["steps"], of_ms)


def run_numbered(sequences, steps, of_ms):
    for number, step in enumerate(steps):
        take(step, numbered.KEYS)
        try:
            found = code_of(lambda step=step: numbered.call(sequences, step, of_ms))
            expect(found, (step.get("returns"), step.get("error")))
        except Exception as error:
            raise Mismatch(f"step {number} {json.dumps(step)[:300]}: {error!r}") from error


def run_metrics(case, of_ms):
    take(case, ABOUT | {"windows", "now", "error", "lines"})
    windows = {}
    for name, each in case["windows"].items():
        if "sequences" in each:
            windows[name] = numbered.make(each, of_ms)
            run_numbered(windows[name], each["steps"], of_ms)
        else:
            windows[name], clock = make_window(each, of_ms)
            run_steps(windows[name], clock, each["steps"], of_ms)
    now = {"now": time_value(case["now"], of_ms)} if "now" in case else {}
    found, code = code_of(lambda: exposed.lines(windows, **now))
    expect((found, code), (case.get("lines"), case.get("error")))


def run_plan(case, of_ms):
    take(case, ABOUT | {"plan", "error", "returns"})
    expect(code_of(lambda: plans.record(plans.make(case, of_ms))), (case.get("returns"), case.get("error")))


RUN = {
    "fingerprint": run_fingerprint,
    "fingerprint_json": run_fingerprint_json,
    "scenario": run_scenario,
    "sequences": run_sequences,
    "metrics": run_metrics,
    "plan": run_plan,
}


def passes(path, kind, case):
    """Whether a case passes; says why not."""
    for of_ms in (as_timedelta, as_number):
        try:
            RUN[kind](case, of_ms)
        # Whatever went wrong, the other cases are run too.
        except Exception as error:
            print(f"{path.parent.name}/{path.name}: {case['name']} ({of_ms.__name__}): {error!r}")
            return False
    return True


def run_file(path, count):
    """How many cases of a file passed and failed here."""
    document = json.loads(path.read_text(encoding="utf-8"))
    cases = document["cases"]
    if not len(cases) == document["count"] == (count or len(cases)):
        print(f"{path.name}: holds {len(cases)} cases, expected {count or document['count']}")
        return 0, 1
    here = [case for case in cases if HOST in case.get("hosts", [HOST])]
    passed = sum(passes(path, document["kind"], case) for case in here)
    return passed, len(here) - passed


def run(vectors, generated=None):
    """How many cases passed and failed; what is missing counts as failed."""
    manifest = json.loads((vectors / "manifest.json").read_text(encoding="utf-8"))
    there = {path.relative_to(vectors).as_posix() for path in vectors.rglob("*.json")}
    passed = failed = 0
    for name in sorted(there ^ (manifest["files"].keys() | {"manifest.json"})):
        print(f"{name}: in only one of the manifest and the folder")
        failed += 1
    for name, count in manifest["files"].items():
        if name in there:
            more = run_file(vectors / name, count)
            passed, failed = passed + more[0], failed + more[1]
    if passed != manifest["hosts"][HOST]:
        print(f"{passed} of the {manifest['hosts'][HOST]} cases that the manifest declares passed")
        failed = max(failed, 1)
    if generated is not None:
        files = sorted(generated.rglob("*.json"))
        if not files:
            print(f"{generated}: no generated cases")
            failed += 1
        for path in files:
            more = run_file(path, None)
            passed, failed = passed + more[0], failed + more[1]
    print(f"{HOST}: {passed} passed, {failed} failed")
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description="conformance of the installed package")
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--generated", type=Path)
    options = parser.parse_args()
    passed, failed = run(options.vectors, options.generated)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
