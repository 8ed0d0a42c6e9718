"""From the vectors' JSON to the values that the library takes, and back from its answers."""

import math
from datetime import timedelta
from uuid import UUID


def only(record):
    """The one tag of a tagged value, and its content."""
    ((tag, content),) = record.items()
    return tag, content


def text_of_units(units):
    raw = b"".join(int(unit, 16).to_bytes(2, "little") for unit in units)
    return raw.decode("utf-16-le", "surrogatepass")


def repeat(of):
    unit, length = bytes.fromhex(of["hex"]), of["bytes"]
    return (unit * (length // len(unit) + 1))[:length]


IDS = {
    "text": str,
    "bytes": bytes.fromhex,
    "int": int,
    "list": lambda parts: tuple(id_value(part) for part in parts),
    "repeat": repeat,
    "utf16": text_of_units,
    "uuid": UUID,
    "null": lambda _: None,
    "bool": bool,
    "float": float,
    "object": lambda _: {},
}


def id_value(tagged):
    tag, content = only(tagged)
    return IDS[tag](content)


def batch_value(ids):
    return [id_value(one) for one in ids] if isinstance(ids, list) else id_value(ids)


PLAIN = {"float": float, "bool": bool, "text": str, "null": lambda _: None}


def count_value(value):
    """A number that is no time."""
    if not isinstance(value, dict):
        return value
    tag, content = only(value)
    return PLAIN[tag](content)


def as_timedelta(ms):
    return timedelta(milliseconds=ms)


def as_number(ms):
    """Seconds: an integer where they are whole, a float where it comes to the same millisecond."""
    if ms % 1000 == 0:
        return ms // 1000
    exact = abs(ms) < 2**50 and math.floor(ms / 1000 * 1000 + 0.5) == ms
    return ms / 1000 if exact else as_timedelta(ms)


def time_value(value, of_ms):
    """A time or a duration; whole milliseconds go through `of_ms`."""
    if not isinstance(value, dict):
        return of_ms(value)
    tag, content = only(value)
    return float(content) / 1000 if tag == "float" else PLAIN[tag](content)


def verdict_record(verdict):
    """A verdict as the vectors write it, after a look at what follows from its kind."""
    kind, age_ms, left_ms = verdict.kind, verdict.age_ms, verdict.lease_left_ms
    assert verdict.first is (kind == "first"), f"{verdict!r}.first is {verdict.first!r}"
    acknowledge = kind in ("duplicate", "probable_duplicate", "late")
    assert verdict.acknowledge is acknowledge, f"{verdict!r}.acknowledge is {verdict.acknowledge!r}"
    assert (age_ms is None) is (kind not in ("duplicate", "conflict")), f"{verdict!r}.age_ms is {age_ms!r}"
    assert (left_ms is None) is (kind != "in_flight"), f"{verdict!r}.lease_left_ms is {left_ms!r}"
    try:
        bool(verdict)
    except TypeError:
        more = {"age_ms": age_ms, "lease_left_ms": left_ms}
        return {"kind": kind, **{name: value for name, value in more.items() if value is not None}}
    raise AssertionError(f"{verdict!r} has a truth value")
