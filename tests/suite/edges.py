"""Writes the vectors of exact edges: `python tests/suite/edges.py`.

What they expect comes from the one formula of the promise, not from the oracle: seen at t, an id is a duplicate
at now exactly while floor(now/b) < floor(t/b) + N.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from suite.files import VECTORS, write  # noqa: E402

GEOMETRIES = [(2, 10), (3, 10), (60, 10), (61, 10), (250, 10), (2, 1), (61, 1), (3, 1000), (60, 1000)]
PLACES = {"first": 0, "middle": None, "last": -1}
# A start of 0, one that is no multiple of anything, and a day of Unix time.
STARTS = [0, 12345, 1700000000000]


def duplicate(seen, now, bucket, n):
    return now // bucket < seen // bucket + n


def ages(bucket, n):
    window = (n - 1) * bucket
    edge = {
        0,
        1,
        bucket - 1,
        bucket,
        window - 1,
        window,
        window + 1,
        window + bucket - 1,
        window + bucket,
        window + bucket + 1,
    }
    gaps = {gap * bucket for gap in (n - 1, n, n + 1, 2 * n)}
    return sorted(edge | gaps)


def verdict(seen, now, bucket, n):
    if duplicate(seen, now, bucket, n):
        return {"kind": "duplicate", "age_ms": (now // bucket - seen // bucket) * bucket}
    return {"kind": "first"}


def number(value):
    return {"int": str(value)}


def place_ms(place, bucket):
    at = PLACES[place]
    return bucket // 2 if at is None else bucket - 1 if at else 0


def scenario(n, bucket, start, place):
    """Each age asked of a read, then of a recording call with an id of its own."""
    seen = start // bucket * bucket + place_ms(place, bucket)
    all_ages = ages(bucket, n)
    steps = [
        {"call": "first_seen", "id": number(index), "now": seen, "returns": True} for index in range(len(all_ages))
    ]
    steps += [
        {"call": "check", "id": number(0), "now": seen + age, "returns": verdict(seen, seen + age, bucket, n)}
        for age in all_ages
    ]
    for index, age in enumerate(all_ages):
        now = seen + age
        steps.append({"call": "observe", "id": number(index), "now": now, "returns": verdict(seen, now, bucket, n)})
        gone = len(all_ages) if not duplicate(seen, now, bucket, n) else 0
        steps.append(
            {"call": "stats", "returns": {"expired": gone, "clock_regressions": 0, "clock_resets": 0}}
            if gone
            else {"call": "len", "returns": len(all_ages)}
        )
        if gone:  # from here on the ids that are recorded anew have ages of their own
            steps += late_steps(seen, index, all_ages, bucket, n)
            break
    return {
        "name": f"{n} buckets of {bucket} ms, seen at {seen}, the {place} ms of a bucket",
        "why": "remembered exactly while floor(now/b) < floor(t/b) + N",
        "flags": ["edge", "fault-3"],
        "window": {"from": "buckets", "bucket_ms": bucket, "buckets": n},
        "steps": steps,
    }


def late_steps(seen, index, all_ages, bucket, n):
    """All first ids are gone at once: each later age is first, then a duplicate of itself."""
    steps = []
    for later in range(index + 1, len(all_ages)):
        now = seen + all_ages[later]
        steps.append({"call": "observe", "id": number(later), "now": now, "returns": {"kind": "first"}})
        steps.append(
            {"call": "observe", "id": number(later), "now": now, "returns": {"kind": "duplicate", "age_ms": 0}}
        )
    return steps


def promise(window, bucket):
    """A window that is given by W: kept at least W, gone after N*b, whatever W and b are to each other."""
    b = bucket or max(1, -(-window // 60))
    n = -(-window // b) + 1
    steps = []
    for round_, seen in enumerate((0, b - 1, 7 * b + b // 2)):
        # Rounds are far enough apart not to see each other.
        t = seen + round_ * 1000 * n * b
        steps.append({"call": "first_seen", "id": number(round_), "now": t, "returns": True})
        for age in sorted({1, window - 1, window, window + 1, n * b - 1, n * b} - {0}):
            steps.append({"call": "check", "id": number(round_), "now": t + age, "returns": verdict(t, t + age, b, n)})
        steps.append({"call": "first_seen", "id": number(round_), "now": t + window, "returns": False})
        steps.append({"call": "first_seen", "id": number(round_), "now": t + n * b, "returns": True})
    steps.append({"call": "stats", "returns": {"window_ms": window, "bucket_ms": b, "buckets": n}})
    made = {"from": "exact", "window_ms": window}
    if bucket:
        made["bucket_ms"] = bucket
    return {
        "name": f"a window of {window} ms with " + (f"buckets of {bucket} ms" if bucket else "its default buckets"),
        "why": "a duplicate while window time <= t + window, first again by t + N*b",
        "flags": ["edge", "fault-3", "fault-4"],
        "window": made,
        "steps": steps,
    }


PROMISES = [
    (1, 0),
    (2, 0),
    (59, 0),
    (60, 0),
    (61, 0),
    (119, 0),
    (120, 0),
    (121, 0),
    (500, 0),
    (1000, 0),
    (60000, 0),
    (86400000, 0),
    (1, 1),
    (2, 1),
    (10, 3),
    (100, 30),
    (60, 7),
    (249, 1),
    (1000, 999),
    (1000, 1000),
    (1000, 1001),
    (5, 1000),
    (1, 1000),
]


def main():
    cases = [
        scenario(n, bucket, STARTS[number_ % 3], place)
        for number_, (n, bucket) in enumerate(GEOMETRIES)
        for place in PLACES
        if bucket > 1 or place == "first"
    ]
    about = (
        "Every edge of the ring: ages around W, gaps around N, seen at the first, a middle and the last ms of a bucket."
    )
    write(
        VECTORS / "3-time" / "edges.json",
        {"kind": "scenario", "stage": "3-time", "about": about, "count": len(cases), "cases": cases},
    )
    cases = [promise(*geometry) for geometry in PROMISES]
    about = "Windows given by their length, with buckets that divide it, do not divide it, or are longer than it."
    write(
        VECTORS / "3-time" / "promise.json",
        {"kind": "scenario", "stage": "3-time", "about": about, "count": len(cases), "cases": cases},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
