"""How much memory a window takes: the formulas of DESIGN.md, with fractions and 50 digits where the library has doubles.

Doubles are used only where DESIGN.md says so: for the ids in a window, for the odds, and for what is lost in a day.
"""

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

from .errors import OracleError
from .times import ABSENT, GREATEST, duration

SHOWN = 0.001
MOST_LINES = 2**32


@dataclass
class Choice:
    bytes: int
    false_drop_rate: float
    remembered_ms: int
    fits: bool = True
    false_drops_per_day: float = 0.0
    fitting_window_ms: int | None = None


def number(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise OracleError("invalid_config")
    return float(value)


def ring(window, parts):
    """The buckets of a window of which each is at most a part so large: their width and number."""
    bucket = -(-window // parts)
    return bucket, -(-window // bucket) + 1


def ids_in_ring(expected, window, bucket, buckets):
    """The ids of all buckets but one, and of all."""
    most_but_one = -(-expected * (buckets - 1) * bucket // window)
    return most_but_one, -(-most_but_one * buckets // (buckets - 1))


def expected_ids(rate, window):
    return max(1, math.floor(rate * window / 1000.0 + 0.5))


def exact(expected, window, _):
    bucket, buckets = ring(window, 60)
    ids, held = ids_in_ring(expected, window, bucket, buckets)
    if ids >= 2**41:
        return None
    lines = max(18 * min(held, 2_200_000), math.ceil(Fraction(65, 4) * held))
    return Choice(lines + 15 * min(held, 4400) + 16384, held / 2**64, buckets * bucket)


def cuckoo(expected, window, rate):
    bucket, buckets = ring(window, 60)
    ids, held = ids_in_ring(expected, window, bucket, buckets)
    if ids >= 2**41:
        return None
    sizes = []
    for bits in range(8, 41):
        slots = min(32, 512 // (bits + 8))
        for_load = math.ceil(Fraction(held * 10, 9 * slots))
        for_rate = math.floor(2 * held / (Fraction(rate) * 2**bits)) + 1
        lines = max(for_load, for_rate)
        sizes.append((3 if lines == 2 else lines, bits))
    lines, bits = min(sizes)
    odds = max(2 * held / (lines * 2**bits), held / 2**63)
    if lines >= MOST_LINES or odds > rate:
        return None
    return Choice(64 * lines + 8 * -(-lines // 256) + 8192, odds, buckets * bucket)


@cache
def most_load(rate, generations, lines_per_id, throws):
    """The ids of a generation that a line gets when the rate is at its peak."""
    with localcontext() as context:
        context.prec = 50
        places = Decimal(63)
        chances = [Decimal(1)]  # of so many different positions
        for _ in range(throws):
            hit = [chance * d / places for d, chance in enumerate([*chances, Decimal(0)])]
            missed = [Decimal(0)] + [chance * (places - d) / places for d, chance in enumerate(chances)]
            chances = [one + other for one, other in zip(hit, missed, strict=True)]

        def rate_of(load):
            def all_unset(i):
                return (-load * (1 - (1 - Decimal(i) / places) ** throws)).exp()

            line = sum(
                chance * sum((-1) ** i * math.comb(d, i) * all_unset(i) for i in range(d + 1))
                for d, chance in enumerate(chances)
            )
            return generations * line**lines_per_id

        peak = Decimal(1.08 * rate)
        low, high = Decimal(0), Decimal(1024)
        while high - low > Decimal("1e-30"):
            middle = (low + high) / 2
            low, high = (middle, high) if rate_of(middle) <= peak else (low, middle)
        return Fraction(low)


def bloom(expected, window, rate):
    bucket, buckets = ring(window, 63)
    ids, _ = ids_in_ring(expected, window, bucket, buckets)
    if ids >= 2**41 or rate < 1e-6:
        return None
    span = -(-(buckets - 1) // 7)
    generations = -(-(buckets - 1) // span) + 1
    shapes = ((0.03, 2, 3), (0.005, 2, 4), (0.0004, 3, 4), (0.00003, 4, 4), (0.0, 5, 4))
    _, lines_per_id, throws = next(shape for shape in shapes if rate >= shape[0])
    load = most_load(rate, generations, lines_per_id, throws)
    lines = max(math.ceil(Fraction(ids * span, buckets - 1) * lines_per_id / load), 2 * lines_per_id)
    if lines >= MOST_LINES:
        return None
    return Choice(64 * lines + 8192, rate, (buckets + -(-buckets // 2)) * bucket)


MEMORIES = {"exact": exact, "cuckoo": cuckoo, "bloom": bloom}


class Plan:
    def __init__(self, rate, window_ms, budget=ABSENT, false_drop_rate=ABSENT):
        self.rate, self.window = number(rate), duration(window_ms)
        if not (math.isfinite(self.rate) and self.rate > 0):
            raise OracleError("invalid_config")
        if self.rate * self.window / 1000.0 + 0.5 >= 2.0**41:
            raise OracleError("invalid_config")
        self.expected_ids = expected_ids(self.rate, self.window)
        self.budget = budget
        if budget is not ABSENT and (type(budget) is not int or not 1 <= budget <= GREATEST):
            raise OracleError("invalid_config")
        self.given = ABSENT if false_drop_rate is ABSENT else number(false_drop_rate)
        if self.given is not ABSENT and not 1e-10 <= self.given <= 0.5:
            raise OracleError("invalid_config")
        self.choices = {name: self._choice(memory) for name, memory in MEMORIES.items()}
        if self.choices["exact"] is None:
            raise OracleError("invalid_config")
        usable = ["exact"] if self.given is ABSENT else list(MEMORIES)
        fitting = (name for name in usable if self.choices[name] and self.choices[name].fits)
        self.recommended = next(fitting, None)

    def _needs(self, memory, window):
        return memory(expected_ids(self.rate, window), window, SHOWN if self.given is ABSENT else self.given)

    def _fits(self, choice):
        return choice is not None and (self.budget is ABSENT or choice.bytes <= self.budget)

    def _choice(self, memory):
        choice = self._needs(memory, self.window)
        if choice is None:
            return None
        choice.false_drops_per_day = self.rate * 86400.0 * choice.false_drop_rate
        choice.fits = self._fits(choice)
        low, high = 0, self.window
        while not choice.fits and high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._fits(self._needs(memory, middle)) else (low, middle)
        choice.fitting_window_ms = low or None
        return choice

    def record(self):
        """As the vectors write it."""
        choices = {name: choice and dict(vars(choice)) for name, choice in self.choices.items()}
        return {"expected_ids": self.expected_ids, "recommended": self.recommended, **choices, "text": self.text()}

    # ---- the table --------------------------------------------------------------------------------

    def text(self):
        """Its lines."""
        budget = "none" if self.budget is ABSENT else size(self.budget)
        filters = scientific(self.given) if self.given is not ABSENT else scientific(SHOWN) + ", for comparison"
        lines = [
            f"{self.expected_ids} ids in a window of {seconds(self.window)}",
            f"budget: {budget}",
            f"false drop rate of filters: {filters}",
            "",
            row("memory", "bytes", "fits", "false drops a day", "odds per event", "remembered"),
        ]
        for name, choice in self.choices.items():
            if choice is None:
                lines.append(row(name, "-", "no", "-", "-", "cannot keep this rate"))
                continue
            lost, odds = amount(choice.false_drops_per_day), scientific(f"{choice.false_drop_rate:.1e}")
            span = f"{seconds(self.window)} to {seconds(choice.remembered_ms)}"
            lines.append(row(name, size(choice.bytes), "yes" if choice.fits else "no", lost, odds, span))
        return [*lines, "", f"recommended: {self.recommended or 'none'}; {self.reason()}"]

    def reason(self):
        if self.recommended == "exact":
            return "it fits, and loses an event only where 64 bits of two hashes agree"
        if self.recommended:
            why = {"cuckoo": "an exact window does not fit", "bloom": "no other memory fits"}[self.recommended]
            return f"{why}; a day, at most {amount(self.choices[self.recommended].false_drops_per_day)} events are lost"
        names = {"exact": "an exact window", "cuckoo": "a cuckoo filter", "bloom": "a Bloom filter"}
        why = "nothing fits"
        if self.given is ABSENT:
            names = {"exact": names["exact"]}
            why = "an exact window does not fit, and without a false drop rate no event may be lost"
        found = {what: self.choices[name] for name, what in names.items()}
        shorter = [
            f"{what} of {seconds(choice.fitting_window_ms)}"
            for what, choice in found.items()
            if choice and choice.fitting_window_ms
        ]
        return f"{why}; a shorter one would: {', '.join(shorter)}" if shorter else why


def row(memory, size_, fits, lost, odds, remembered):
    return f"{memory:<7} {size_:>11}  {fits:<4}  {lost:<17}  {odds:<14}  {remembered}"


def seconds(ms):
    return f"{ms // 1000} s" if ms % 1000 == 0 else f"{ms // 1000}.{ms % 1000:03} s"


def size(count):
    for name, shift in (("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >= 1 << shift:
            tenths = -(-count * 10 // (1 << shift))
            return f"{tenths // 10}.{tenths % 10} {name}"
    return f"{count} B"


def scientific(value):
    """A text with an exponent as it is, a double by its shortest digits; exponents without a sign for plus and without zeros."""
    text = value if isinstance(value, str) else shortest(value)
    digits, exponent = text.split("e")
    return f"{digits}e{int(exponent)}"


def shortest(value):
    _, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    text = "".join(map(str, digits))
    return f"{text[0]}{'.' + text[1:] if text[1:] else ''}e{exponent + len(digits) - 1}"


def amount(value):
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.2f}" if value >= 0.01 else scientific(f"{value:.1e}")
