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
    yield "firstseen, `now` given", lambda: [first_seen(KNOWN, NOW) for _ in range(CALLS)], CALLS
    yield "firstseen, default clock", lambda: [by_clock(KNOWN) for _ in range(CALLS)], CALLS
    yield "`in` a set (forgets nothing)", lambda: [KNOWN in seen for _ in range(CALLS)], CALLS
    if TTLCache:
        cache = TTLCache(FRESH, 600)
        cache[KNOWN] = None
        yield "`in` a cachetools.TTLCache", lambda: [KNOWN in cache for _ in range(CALLS // 20)], CALLS // 20


def fresh_ids():
    """300 000 distinct ids of 30 characters, into an empty memory."""
    ids = [f"evt_{index:026}" for index in range(FRESH)]

    def with_window():
        first_seen = Window.exact(600).first_seen
        for one in ids:
            first_seen(one, NOW)

    def with_set():
        seen = set()
        for one in ids:
            if one not in seen:
                seen.add(one)

    def with_cache():
        cache = TTLCache(FRESH, 600)
        for one in ids[: FRESH // 20]:
            if one not in cache:
                cache[one] = None

    yield "firstseen, `now` given", with_window, FRESH
    yield "set: `in`, then `add`", with_set, FRESH
    if TTLCache:
        yield "cachetools.TTLCache: `in`, then set", with_cache, FRESH // 20


def batches():
    """Batches of 1000 known ids of 30 characters, per id."""
    ids = [f"evt_{index:026}" for index in range(BATCH)]
    window = Window.exact(600)
    window.first_seen_many(ids, NOW)
    times = CALLS // BATCH
    yield "firstseen, `first_seen_many`", lambda: [window.first_seen_many(ids, NOW) for _ in range(times)], CALLS
    yield "firstseen, `observe_many`", lambda: [window.observe_many(ids, NOW) for _ in range(times)], CALLS


def buffers():
    """A million fresh ids in one call, per id."""
    million = 1_000_000
    words = array("Q", range(million))
    numbers = words.tolist()
    texts = [b"evt_%026d" % number for number in range(million)]
    data, offsets = b"".join(texts), array("q", range(0, 30 * million + 1, 30))
    yield "`first_seen_u64`", lambda: Window.exact(600).first_seen_u64(words, NOW), million
    yield "`first_seen_many` of integers", lambda: Window.exact(600).first_seen_many(numbers, NOW), million
    yield "`first_seen_packed`, 30 bytes", lambda: Window.exact(600).first_seen_packed(data, offsets, NOW), million
    yield "`first_seen_many` of `bytes`, 30 bytes", lambda: Window.exact(600).first_seen_many(texts, NOW), million


def measure(candidates, rounds):
    """The median nanoseconds per call of each candidate."""
    taken = {name: [] for name, _, _ in candidates}
    for _ in range(rounds):
        for name, run, calls in candidates:
            start = time.perf_counter_ns()
            run()
            taken[name].append((time.perf_counter_ns() - start) / calls)
    return {name: statistics.median(times) for name, times in taken.items()}


def main():
    parser = argparse.ArgumentParser(description="nanoseconds per call")
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    print(f"firstseen {firstseen.__version__}, {platform.python_implementation()} {platform.python_version()}\n")
    print("| what | ns per call |\n|---|---:|")
    for group in (known_ids, fresh_ids, batches, buffers):
        print(f"| **{group.__doc__.rstrip('.')}** | |")
        for name, median in measure(list(group()), rounds).items():
            print(f"| {name} | {median:.0f} |")


if __name__ == "__main__":
    main()
