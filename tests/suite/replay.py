"""One case on the oracle: what it should have said and did not."""

from oracle.errors import OracleError
from oracle.ids import check_value, fingerprint
from oracle.payloads import fingerprint_json
from oracle.window import Window

from . import metrics, plans, sequences
from .values import batch_value, id_value, plain_value


class Clock:
    def __init__(self, ms):
        self.ms = ms

    def __call__(self):
        return self.ms


def make_window(case):
    """The window of a case and its fake clock, if it has one."""
    options = {
        name: value if name in ("from", "on_full", "detect_conflicts", "false_drop_rate") else plain_value(value)
        for name, value in case["window"].items()
    }
    if "secret" in options:
        options["secret"] = bytes.fromhex(options["secret"])
    clock = Clock(case["clock"]) if "clock" in case else None
    make = {"exact": Window.exact, "buckets": Window.from_buckets, "bloom": Window.bloom, "cuckoo": Window.cuckoo}
    make = make[options.pop("from")]
    return make(clock=clock, **options), clock


def fill(window, step):
    firsts = 0
    for index in range(step["count"]):
        now = step["now"] + index * step["now_step"] if "now" in step else None
        firsts += window.first_seen(int(step["from"]) + index, now)
    return firsts


def claimed(window, step, returned):
    """The verdicts of claims, whose tokens get names."""
    claims = returned if step["call"] == "claim_many" else [returned]
    names = step.get("as", [])
    for name, (_, token) in zip([names] if isinstance(names, str) else names, claims, strict=False):
        window.names[name] = token or 0
    verdicts = [verdict for verdict, _ in claims]
    return verdicts if step["call"] == "claim_many" else verdicts[0]


def call(window, clock, step):
    """What one step returns; an OracleError passes through."""
    name = step["call"]
    if name == "set_clock":
        clock.ms = plain_value(step["ms"])
        return None
    if name == "fill":
        return fill(window, step)
    if name == "len":
        return len(window)
    arguments = {key: plain_value(step[key]) for key in ("now", "at") if key in step}
    if "body" in step:
        arguments["body"] = id_value(step["body"])
    values = []
    if "id" in step:
        values.append(id_value(step["id"]))
    if "ids" in step:
        values.append(batch_value(step["ids"]))
    if "token" in step:
        values.append(window.names.get(step["token"], 0))
    if "tokens" in step:
        values.append([window.names.get(name, 0) for name in step["tokens"]])
    if "lease_ms" in step:
        values.append(plain_value(step["lease_ms"]))
    if name in ("claim", "claim_many"):
        return claimed(window, step, getattr(window, name)(*values, **arguments))
    return getattr(window, name)(*values, **arguments)


def wrong_step(step, returned):
    """Why what was returned is not what the step says, or None."""
    if "error" in step:
        return f"returned {returned!r}, expected error {step['error']}"
    for field, bound in step.get("at_most", {}).items():
        if field in returned and returned[field] > bound:
            return f"{field} is {returned[field]!r}, expected at most {bound!r}"
    expected = step.get("returns")
    if step["call"] == "stats" and expected is not None:
        wrong = {field: returned[field] for field in expected if not same(returned[field], expected[field])}
        return f"stats are {wrong!r}, expected {expected!r}" if wrong else None
    return None if same(returned, expected) or expected is None else f"returned {returned!r}, expected {expected!r}"


def same(one, other):
    """Equal, and a boolean is no number."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def run_scenario(case):
    try:
        window, clock = make_window(case)
    except OracleError as error:
        return None if error.code == case.get("error") else f"the constructor failed with {error.code}"
    if "error" in case:
        return f"the constructor succeeded, expected {case['error']}"
    return run_steps(window, clock, case["steps"])


def run_steps(window, clock, steps):
    """Why a step is wrong, or None."""
    for number, step in enumerate(steps):
        try:
            wrong = wrong_step(step, call(window, clock, step))
        except OracleError as error:
            wrong = None if error.code == step.get("error") else f"failed with {error.code}"
        if wrong:
            return f"step {number} {step}: {wrong}"
    return None


def run_fingerprint(case):
    secret = [bytes.fromhex(case["secret"])] if "secret" in case else []
    try:
        found = fingerprint(id_value(case["id"]), *secret).hex()
    except OracleError as error:
        found = error.code
    expected = case.get("fingerprint") or case.get("error")
    return None if found == expected else f"{found}, expected {expected}"


def run_fingerprint_json(case):
    options = {}
    for name in ("ignore", "only"):
        if name in case:
            options[name] = _list(case[name])
    if "secret" in case:
        options["secret"] = bytes.fromhex(case["secret"])
    try:
        found = fingerprint_json(id_value(case["payload"]), **options).hex()
    except OracleError as error:
        found = error.code
    expected = case.get("fingerprint") or case.get("error")
    return None if found == expected else f"{found}, expected {expected}"


def _list(value):
    """Pointers, or what is no list of them."""
    if isinstance(value, list):
        return value
    found = id_value(value)
    return list(found) if isinstance(found, tuple) else found


def run_check_value(case):
    found = check_value(bytes.fromhex(case["secret"])).hex()
    return None if found == case["check_value"] else f"{found}, expected {case['check_value']}"


RUN = {
    "scenario": run_scenario,
    "sequences": sequences.run,
    "metrics": metrics.run,
    "plan": plans.run,
    "fingerprint": run_fingerprint,
    "fingerprint_json": run_fingerprint_json,
    "check_value": run_check_value,
}
