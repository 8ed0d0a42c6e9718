"""What one call costs, beside a plain set and `cachetools.TTLCache` where that is installed.

    python bindings-python/benches/calls.py [--rounds N]

Prints a Markdown table of nanoseconds per call, the loop around it included. The candidates take turns, so that a busy
moment of the machine hits all of them; the median of the rounds is shown.
"""

import argparse
import platform
import statistics
import time
from array import array

import firstseen
from firstseen import Window

try:
    from cachetools import TTLCache
except ImportError:
    TTLCache = None

KNOWN = "evt_0123456789_0123456789_abcd"
NOW = 1_700_000_000.123
FRESH = 300_000
BATCH = 1000
CALLS = 200_000


def known_ids():
    """A known id of 30 characters, again and again."""
    told, clocked = Window.exact(600), Window.exact(600)
    first_seen, by_clock = told.first_seen, clocked.first_seen
    first_seen(KNOWN, NOW)
    by_clock(KNOWN)
    seen = {KNOWN}
    yield "firstseen, `now` given", CALLS, lambda: [first_seen(KNOWN, NOW) for _ in range(CALLS)]
    yield "firstseen, `now=` given", CALLS, lambda: [first_seen(KNOWN, now=NOW) for _ in range(CALLS)]
    yield "firstseen, default clock", CALLS, lambda: [by_clock(KNOWN) for _ in range(CALLS)]
    yield "`in` a set (forgets nothing)", CALLS, lambda: [KNOWN in seen for _ in range(CALLS)]
    if TTLCache:
        cache = TTLCache(FRESH, 600)
        cache[KNOWN] = None
        yield "`in` a cachetools.TTLCache", CALLS // 20, lambda: [KNOWN in cache for _ in range(CALLS // 20)]


def fresh_ids():
    """300 000 distinct ids of 30 characters, one at a time, into an empty memory; then again."""

    def with_window():
        first_seen = Window.exact(600).first_seen

        def run(ids):
            for one in ids:
                first_seen(one, NOW)

        return run

    def with_set():
        seen = set()

        def run(ids):
            for one in ids:
                if one not in seen:
                    seen.add(one)

        return run

    def with_cache():
        cache = TTLCache(FRESH, 600)

        def run(ids):
            for one in ids[: FRESH // 20]:
                if one not in cache:
                    cache[one] = None

        return run

    yield "firstseen, `now` given", FRESH, Twice(with_window)
    yield "set: `in`, then `add`", FRESH, Twice(with_set)
    if TTLCache:
        yield "cachetools.TTLCache: `in`, then set", FRESH // 20, Twice(with_cache)


def fresh_batches():
    """300 000 distinct ids of 30 characters, in batches, into an empty memory; then again."""

    def with_window(size):
        first_seen_many = Window.exact(600).first_seen_many
        return lambda ids: [first_seen_many(ids[start : start + size], NOW) for start in range(0, FRESH, size)]

    def with_set():
        seen = set()

        def run(ids):
            answers = []
            for one in ids:
                first = one not in seen
                if first:
                    seen.add(one)
                answers.append(first)

        return run

    yield "firstseen, `first_seen_many`, one batch", FRESH, Twice(lambda: with_window(FRESH))
    yield "firstseen, `first_seen_many`, 1000 a call", FRESH, Twice(lambda: with_window(BATCH))
    yield "a loop over a set that makes the same list", FRESH, Twice(with_set)


class Twice:
    """A memory of its own for each round, which gets the ids twice.

    They are new strings each time, as a consumer's are: Python keeps a string's hash once a set has asked for it.
    """

    def __init__(self, make):
        self.make = make

    def passes(self):
        run = self.make()
        for name in ("", ", then again"):
            ids = [f"evt_{index:026}" for index in range(FRESH)]
            yield name, lambda ids=ids: run(ids)


def batches():
    """Batches of 1000 known ids, per id."""
    window = Window.exact(600)
    texts = [f"evt_{index:026}" for index in range(BATCH)]
    numbers, pairs = list(range(BATCH)), [("acct_1", index) for index in range(BATCH)]
    times = range(CALLS // BATCH)
    for ids in (texts, numbers, pairs):
        window.first_seen_many(ids, NOW)
    yield (
        "`first_seen_many` of texts of 30 characters",
        CALLS,
        lambda: [window.first_seen_many(texts, NOW) for _ in times],
    )
    yield "`observe_many` of texts of 30 characters", CALLS, lambda: [window.observe_many(texts, NOW) for _ in times]
    yield "`first_seen_many` of integers", CALLS, lambda: [window.first_seen_many(numbers, NOW) for _ in times]
    yield "`first_seen_many` of composites of two", CALLS, lambda: [window.first_seen_many(pairs, NOW) for _ in times]


def buffers():
    """A million fresh ids in one call, per id."""
    million = 1_000_000
    words = array("Q", range(million))
    numbers = words.tolist()
    texts = [b"evt_%026d" % number for number in range(million)]
    data, offsets = b"".join(texts), array("q", range(0, 30 * million + 1, 30))
    yield "`first_seen_u64`", million, lambda: Window.exact(600).first_seen_u64(words, NOW)
    yield "`first_seen_many` of integers", million, lambda: Window.exact(600).first_seen_many(numbers, NOW)
    yield "`first_seen_packed`, 30 bytes", million, lambda: Window.exact(600).first_seen_packed(data, offsets, NOW)
    yield "`first_seen_many` of `bytes`, 30 bytes", million, lambda: Window.exact(600).first_seen_many(texts, NOW)


def measure(candidates, rounds):
    """The median nanoseconds per call of each candidate, and of each pass of one that has two."""
    taken = {}
    for _ in range(rounds):
        for name, calls, run in candidates:
            for suffix, one_pass in run.passes() if isinstance(run, Twice) else [("", run)]:
                start = time.perf_counter_ns()
                one_pass()
                taken.setdefault(name + suffix, []).append((time.perf_counter_ns() - start) / calls)
    return {name: statistics.median(times) for name, times in taken.items()}


def main():
    parser = argparse.ArgumentParser(description="nanoseconds per call")
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    print(f"firstseen {firstseen.__version__}, {platform.python_implementation()} {platform.python_version()}\n")
    print("| what | ns per call |\n|---|---:|")
    for group in (known_ids, fresh_ids, fresh_batches, batches, buffers):
        print(f"| **{group.__doc__.rstrip('.')}** | |")
        for name, median in measure(list(group()), rounds).items():
            print(f"| {name} | {median:.0f} |")


if __name__ == "__main__":
    main()
