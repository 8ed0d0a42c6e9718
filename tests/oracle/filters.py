"""What filters remember: the same ids are taken for each other as in the library, by the formulas of its design.

A memory says which of the live buckets holds a key. Keys are the first 64 bits of fingerprints, as little-endian integers.
"""

import math
from functools import cache

from .errors import OracleError
from .times import count

MASK = 2**64 - 1
FACTORS = (1, 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F, 0xE7037ED1A0B428DB)
POSITIONS = 63


class Exact:
    """No key is taken for another."""

    kind, exact, forgets = "duplicate", True, True
    capacity = None

    def name(self, key):
        return key

    def holds(self, bucket, key):
        return key in bucket.ids


class Cuckoo:
    """An id is its two lines, in any order, and its remainder."""

    kind, exact, forgets = "probable_duplicate", False, True

    def __init__(self, expected_ids, false_drop_rate, window, bucket, buckets):
        expected = in_ring(expected_ids, window, bucket, buckets)
        rate(false_drop_rate, 1e-10)
        self.full_load = held = -(-expected * buckets // (buckets - 1))
        best = None
        for bits in range(8, 41):
            slots = min(512 // (bits + 8), 32)
            lines = max(math.ceil(held * 10 / (9 * slots)), math.floor(2 * held / (false_drop_rate * 2**bits)) + 1)
            lines = 3 if lines == 2 else lines  # two do not always take what they are built for
            if lines < 2**32 and (best is None or lines < best[0]):
                best = lines, bits, slots
        if best is None:
            raise OracleError("invalid_config")
        self.lines, self.bits, self.slots = best
        self.capacity = self.lines * self.slots * 19 // 20

    def name(self, key):
        remainder = key % 2**self.bits
        line = key * self.lines >> 64
        total = (((remainder + 1) * FACTORS[1] & MASK) * self.lines) >> 64
        other = (total - line) % self.lines
        return min(line, other), max(line, other), remainder

    def holds(self, bucket, key):
        return self.name(key) in bucket.ids

    def fill_ratio(self, held):
        return held / (float(self.lines) * float(self.slots))

    def rate(self, held):
        return max(2 * held / (self.lines * 2**self.bits), held / 2**63)


class Bloom:
    """An id is held by a generation in which all of its positions are set, by whomever."""

    kind, exact, forgets = "probable_duplicate", False, False
    capacity = None

    def __init__(self, expected_ids, false_drop_rate, window, bucket, buckets):
        self.expected = expected = in_ring(expected_ids, window, bucket, buckets)
        rate(false_drop_rate, 1e-6)
        self.span = -(-(buckets - 1) // 7)
        self.half = -(-buckets // 2)
        self.n = buckets
        self.each = -(-expected * self.span // (buckets - 1))
        generations = -(-(buckets - 1) // self.span) + 1
        self.full_load = self.each * generations
        shapes = ((0.03, 2, 3), (0.005, 2, 4), (0.0004, 3, 4), (0.00003, 4, 4), (0, 5, 4))
        self.per_id, self.per_line = next(shape[1:] for shape in shapes if false_drop_rate >= shape[0])
        self.peak = 1.08 * false_drop_rate
        load = most_load(lambda load: generations * self._rate(load) <= self.peak)
        lines = math.ceil(expected * self.span / (buckets - 1) * self.per_id / load)
        if lines >= 2**32:
            raise OracleError("invalid_config")
        self.lines = max(lines, 2 * self.per_id)

    def name(self, key):
        return key

    @cache  # noqa: B019  the model lives as long as its case
    def positions(self, key):
        places = set()
        for factor in FACTORS[: self.per_id]:
            spread = key * factor & MASK
            line, rest = spread * self.lines >> 64, spread % 2**32
            for _ in range(self.per_line):
                places.add((line, rest * POSITIONS >> 32))
                rest = rest * POSITIONS % 2**32
        return frozenset(places)

    def holds(self, bucket, key):
        return self.positions(key) <= bucket.positions

    def fill_ratio(self, held):
        return held / self.full_load

    # ---- when a generation closes -----------------------------------------------------------------

    def may_close(self, buckets, head):
        most = 7 if head - buckets[0].index >= self.n - self.half else 6
        return most if len(buckets) <= most else None

    def is_over(self, newest, head):
        age = head - newest.first
        return age >= self.half or age >= self.span and 2 * newest.recorded >= self.each

    def share(self, buckets, most):
        others = sum(bucket.recorded for bucket in buckets[:-1])
        left = max(0, self.expected - others)
        return max(self.each, -(-left // (most - len(buckets) + 2)))

    # ---- how many more a generation takes ---------------------------------------------------------

    def limit(self, others):
        """Of ids recorded in a generation beside others, by ids recorded, up to the peak of the rate."""
        return self._limit(tuple(others))

    @cache  # noqa: B019  as above
    def _limit(self, others):
        passes = math.prod(1 - self._rate(recorded * self.per_id / self.lines) for recorded in others)
        load = most_load(lambda load: 1 - passes * (1 - self._rate(load)) <= self.peak)
        return int(load * self.lines / self.per_id + 1e-6)

    def _rate(self, load):
        """The chance that a new id is taken for one of a generation whose lines got so many each, a Poisson number."""
        distinct, exponents = _throws(self.per_line)
        unset = [math.exp(-load * exponent) for exponent in exponents]
        line = 0.0
        for weight in distinct:
            line += weight * unset[0]
            # The next difference.
            unset = [one - other for one, other in zip(unset, [*unset[1:], 0.0], strict=False)]
        return max(line, 0.0) ** self.per_id


@cache
def _throws(throws):
    distinct = [1.0, 0.0, 0.0, 0.0, 0.0]
    for _ in range(throws):
        fewer = [0.0, *distinct[:-1]]
        distinct = [
            same * (d / POSITIONS) + less * ((POSITIONS - d + 1) / POSITIONS)
            for d, (same, less) in enumerate(zip(distinct, fewer, strict=False))
        ]
    exponents = [1 - (1 - i / POSITIONS) ** throws for i in range(5)]
    return distinct, exponents


def most_load(good):
    low, high = 0.0, 1024.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if good(middle) else (low, middle)
    return low


def in_ring(expected_ids, window, bucket, buckets):
    """The ids of N - 1 buckets."""
    expected = count(expected_ids, 1, 2**64 - 1)
    scaled = -(-expected * (buckets - 1) * bucket // window)
    return count(scaled, 1, 2**41 - 1)


def rate(value, least):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= 0.5:
        raise OracleError("invalid_config")
