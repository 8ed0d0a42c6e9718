"""New ids through a Bloom window and through a rotating pair of `rbloom` filters, of equal rate, in turns: nanoseconds an id and bits.

pip install rbloom==1.5.4 && python bindings-python/benches/filters.py
"""

import statistics
import time
from functools import partial

from firstseen import Window
from rbloom import Bloom

EACH = 1_000_000  # new ids in a window of 60 s
RATE = 0.01
CHUNK = 50_000
BATCH = 1_000


class Pair:
    """Two filters of half the rate, each for a window; the older is replaced when that is over."""

    def __init__(self):
        self.newer, self.older, self.window = Bloom(EACH, RATE / 2), Bloom(EACH, RATE / 2), 0

    def first_seen(self, id, now):
        if now // 60 != self.window:
            self.window = now // 60
            self.newer, self.older = Bloom(EACH, RATE / 2), self.newer
        if id in self.newer or id in self.older:
            return False
        self.newer.add(id)
        return True


def one_by_one(window, timed_ids):
    return sum(window.first_seen(id, now) for id, now in timed_ids)


def in_batches(window, batches):
    return sum(sum(window.first_seen_many(some, now)) for some, now in batches)


def timed(call):
    start = time.process_time_ns()
    firsts = call()
    return time.process_time_ns() - start, firsts


def main():
    window, batch, pair = (
        Window.bloom(60, expected_ids=EACH, false_drop_rate=RATE),
        Window.bloom(60, expected_ids=EACH, false_drop_rate=RATE),
        Pair(),
    )
    spent = {"Window.bloom.first_seen": [], "Window.bloom.first_seen_many by 1000": [], "a rotating pair of rbloom": []}
    lost = dict.fromkeys(spent, 0)
    for start in range(0, 3 * EACH, CHUNK):
        ids = [f"evt_{number}" for number in range(start, start + CHUNK)]
        timed_ids = [(id, (start + index) * 60 / EACH) for index, id in enumerate(ids)]
        batches = [(ids[at : at + BATCH], (start + at) * 60 / EACH) for at in range(0, CHUNK, BATCH)]
        runs = {
            "Window.bloom.first_seen": partial(one_by_one, window, timed_ids),
            "Window.bloom.first_seen_many by 1000": partial(in_batches, batch, batches),
            "a rotating pair of rbloom": partial(one_by_one, pair, timed_ids),
        }
        for name, run in runs.items():
            nanoseconds, firsts = timed(run)
            if start >= EACH + EACH // 4:
                spent[name].append(nanoseconds / CHUNK)
                lost[name] += CHUNK - firsts
    bits = {
        "a rotating pair of rbloom": (pair.newer.size_in_bits + pair.older.size_in_bits) / EACH,
    }
    offered = len(next(iter(spent.values()))) * CHUNK
    print(f"{EACH} new ids of 4 to 11 characters in a window, {RATE:.0%}; the median of {offered // CHUNK} turns\n")
    print("| design | ns per id | bits per expected id | new ids lost |\n|---|---:|---:|---:|")
    for name, times in spent.items():
        size = bits.get(name, window.stats().memory_bytes * 8 / EACH)
        print(f"| {name} | {statistics.median(times):.0f} | {size:.1f} | {lost[name] / offered:.3%} |")


if __name__ == "__main__":
    main()
