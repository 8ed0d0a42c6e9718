"""Cases of sequences."""

from firstseen import Sequences
from values import PLAIN, count_value, id_value, only, time_value


def number_value(value):
    """A seq or an epoch: digits, or a tagged value that is none."""
    if isinstance(value, str):
        return int(value)
    tag, content = only(value)
    return PLAIN[tag](content)


def make(case, of_ms):
    options = {name: count_value(value) for name, value in case["sequences"].items() if name != "idle_ms"}
    if "idle_ms" in case["sequences"]:
        options["idle"] = time_value(case["sequences"]["idle_ms"], of_ms)
    return Sequences(**options)


def verdict_record(verdict):
    """A verdict as the vectors write it, after a look at what follows from its kind."""
    kind, gap = verdict.kind, verdict.gap
    first = kind == "first"
    assert verdict.first is first, f"{verdict!r}.first is {verdict.first!r}"
    assert verdict.acknowledge is not first, f"{verdict!r}.acknowledge is {verdict.acknowledge!r}"
    assert (gap is not None) is first, f"{verdict!r}.gap is {gap!r}"
    try:
        bool(verdict)
    except TypeError:
        return {"kind": kind, "gap": str(gap)} if first else {"kind": kind}
    raise AssertionError(f"{verdict!r} has a truth value")


KEYS = {"call", "producer", "seq", "epoch", "now", "returns", "error"}


def call(sequences, step, of_ms):
    """What one step returns, as the vectors write it."""
    name = step["call"]
    options = {"now": time_value(step["now"], of_ms)} if "now" in step else {}
    if name == "len":
        return len(sequences)
    if name == "stats":
        stats = sequences.stats(**options)
        return {field: getattr(stats, field) for field in step.get("returns", {})}
    producer = id_value(step["producer"])
    if name == "forget":
        return sequences.forget(producer)
    if "epoch" in step:
        options["epoch"] = number_value(step["epoch"])
    seq = number_value(step["seq"])
    if name == "first_seen":
        return sequences.first_seen(producer, seq, **options)
    if name == "observe":
        return verdict_record(sequences.observe(producer, seq, **options))
    raise ValueError(f"unknown call {name}")
