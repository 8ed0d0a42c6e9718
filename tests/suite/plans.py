"""Cases of `plan`: on the oracle, drawn at random, and, as `python tests/suite/plans.py`, those of `4-memory/plan.json`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from oracle.errors import OracleError  # noqa: E402
from oracle.plan import Plan  # noqa: E402

from suite.files import VECTORS, write  # noqa: E402
from suite.values import plain_value  # noqa: E402

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
MIB = 2**20

# name, why, rate, window, budget, false drop rate
CASES = [
    ("no budget is given", "exact, and the filters are shown for comparison", 100_000, 10 * MINUTE, None, None),
    ("exact just fits", "the budget is what it takes", 1000, 10 * MINUTE, 11_062_384, 0.001),
    ("exact misses by a byte", "a cuckoo filter is preferred to a Bloom filter", 1000, 10 * MINUTE, 11_062_383, 0.001),
    ("only a Bloom filter fits", "it is smaller at 1 %", 1000, 10 * MINUTE, 1_600_000, 0.01),
    ("nothing fits at the given rate", "each says what window would fit", 1000, 10 * MINUTE, MIB, 0.01),
    ("no rate is given and exact does not fit", "no event may be lost", 1000, 10 * MINUTE, 4 * MIB, None),
    ("not even an empty window fits", "what is fixed is more than the budget", 1000, MINUTE, 1000, 0.01),
    ("a rate below that of Bloom filters", "1e-6 is the least", 100, HOUR, MIB, 1e-8),
    ("the least rate of all", "with few ids, 64 bits are enough", 1, MINUTE, None, 1e-10),
    ("so many ids that 64 bits are too few", "no filter keeps the rate", 10_000_000, DAY, None, 1e-9),
    ("the greatest rate", "half of all new events are lost", 5, HOUR, None, 0.5),
    ("each shape of a Bloom filter from 3 %", "two lines of three", 2000, HOUR, None, 0.03),
    ("each shape of a Bloom filter from 0.5 %", "two lines of four", 2000, HOUR, None, 0.005),
    ("each shape of a Bloom filter from 0.04 %", "three lines of four", 2000, HOUR, None, 0.0004),
    ("each shape of a Bloom filter from 0.003 %", "four lines of four", 2000, HOUR, None, 0.00003),
    ("each shape of a Bloom filter below", "five lines of four", 2000, HOUR, None, 1e-6),
    ("less than one id in a window", "one is planned for", 0.001, MINUTE, None, 0.01),
    ("a rate whose product ends in a half", "ids are rounded half up", 2.5, 1000, None, 0.01),
    ("six million an hour", "no exact number a second", 6e6 / 3600.0, HOUR, 64 * MIB, 0.01),
    ("a window of one millisecond", "two buckets of 1 ms", 1_000_000, 1, None, 0.01),
    ("a window of a few milliseconds", "fewer buckets and generations than usual", 1_000_000, 5, 9000, 0.01),
    ("a window that its buckets do not divide", "the ring is longer than it", 1000, 61, None, 0.01),
    ("the longest window", "2^53-1 ms", 0.0001, 2**53 - 1, None, 0.001),
    ("where lines become narrow", "above 2.2 million ids the bound grows by less", 50_000, MINUTE, 40 * MIB, 0.0001),
    ("hundreds of millions of ids", "units of GiB, and a rate of e notation", 250_000, HOUR, 2**31, 1.5e-5),
    ("nearly as many ids as can be planned for", "no filter has so many lines", 36e9, MINUTE, None, 0.001),
]


def make(options):
    return Plan(**{name: plain_value(value) for name, value in options.items()})


def run(case):
    """What the oracle should have said and did not, or None."""
    try:
        found = {"returns": make(case["plan"]).record()}
    except OracleError as error:
        found = {"error": error.code}
    expected = {key: case[key] for key in ("returns", "error") if key in case}
    return None if found == expected else f"{found}, expected {expected}"


def case(name, why, flags, options):
    return {"name": name, "why": why, "flags": flags, "plan": options, "returns": make(options).record()}


def options_of(rate, window, budget, false_drop_rate):
    options = {"rate": rate, "window_ms": window, "budget": budget, "false_drop_rate": false_drop_rate}
    return {name: value for name, value in options.items() if value is not None}


def drawn(rng, name):
    """One at random."""
    rate = rng.choice((rng.randrange(1, 10**6), rng.randrange(1, 10**6) / 1000, 10 ** rng.uniform(-4, 6)))
    window = int(10 ** rng.uniform(0, 9)) if rng.random() < 0.8 else rng.randrange(1, 300)
    budget = int(10 ** rng.uniform(3.5, 10)) if rng.random() < 0.8 else None
    losses = (None, 1e-10, 1e-9, 1e-6, 1.1e-6, 0.00003, 0.0003, 0.001, 0.0077, 0.01, 0.03, 0.2, 0.5)
    options = options_of(rate, window, budget, rng.choice(losses))
    return case(name, "drawn at random; the figures are the oracle's", ["random"], options)


def document(cases, about):
    return {"kind": "plan", "stage": "4-memory", "about": about, "count": len(cases), "cases": cases}


def main():
    cases = [case(name, why, [], options_of(*rest)) for name, why, *rest in CASES]
    about = "What each memory takes for a load, what it loses, and which one is recommended; its text, line by line."
    write(VECTORS / "4-memory" / "plan.json", document(cases, about))
    return 0


if __name__ == "__main__":
    sys.exit(main())
