"""Deliver events at least once, to see what a consumer makes of it: duplicates, disorder, delays and crashes, by a seed.

>>> from firstseen import Window
>>> from firstseen.testing import Crash, deliver
>>> window = Window.exact(600)
>>> def consume(delivery):
...     claim = window.claim(delivery.event, lease=30, now=delivery.now)
...     if claim.first:
...         delivery.effect()  # may crash before, in the middle, and after
...         claim.commit(delivery.now)
...     return claim.first or claim.verdict.acknowledge
>>> report = deliver([f"evt_{n}" for n in range(1000)], consume, seed=1)
>>> report.lost, report.repeated <= report.crashed_after_effect
(0, True)
"""

import heapq
import random
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Crash", "Delivery", "Report", "deliver"]


class Crash(BaseException):
    """The consumer's process dies here: what it had not written is gone. Do not catch it."""


@dataclass
class Report:
    """What came of the events."""

    events: int = 0
    deliveries: int = 0
    acknowledged: int = 0
    """Events whose effect was never done, though a delivery was acknowledged. Must be 0."""
    lost: int = 0
    """Effects beyond the first of an event."""
    repeated: int = 0
    crashed: int = 0
    """Crashes after an effect and before the end of the delivery: each may cost one repeated effect, unless effects are idempotent."""
    crashed_after_effect: int = 0
    """Of each event, how often its effect was done."""
    effects: dict[Hashable, int] = field(default_factory=dict)

    @property
    def at_least_once(self) -> bool:
        """Whether no event was lost."""
        return self.lost == 0

    @property
    def exactly_once(self) -> bool:
        """Whether each effect was done once."""
        return self.lost == 0 and self.repeated == 0

    @property
    def no_more_than_crashes_explain(self) -> bool:
        """Whether no effect was repeated without a crash between it and the end of its delivery."""
        return self.lost == 0 and self.repeated <= self.crashed_after_effect


class Delivery:
    """One delivery of an event."""

    def __init__(self, event: Any, now: float, attempt: int, report: Report, key: Hashable, crash: Callable[[], bool]):
        self.event, self.now, self.attempt = event, now, attempt
        self._report, self._key, self._crash = report, key, crash
        self._done = False

    def checkpoint(self) -> None:
        """A place at which the process may die."""
        if self._crash():
            self._report.crashed_after_effect += self._done
            raise Crash

    def effect(self, do: Callable[[], None] | None = None) -> None:
        """The effect: counted once it is done, with places to crash before and after it."""
        self.checkpoint()
        if do is not None:
            do()
        effects = self._report.effects
        effects[self._key] = effects.get(self._key, 0) + 1
        self._done = True
        self.checkpoint()


def deliver(
    events: Iterable[Any],
    consume: Callable[[Delivery], bool],
    *,
    seed: int = 0,
    key: Callable[[Any], Hashable] = lambda event: event,
    start: float = 1_000_000.0,
    interval: float = 0.1,
    duplicates: float = 0.2,
    disorder: float = 5.0,
    delay: float = 60.0,
    late: float = 0.0,
    late_by: float = 0.0,
    crashes: float = 0.05,
    retry: float = 35.0,
    restart: Callable[[float], None] | None = None,
) -> Report:
    """Delivers each event until it is acknowledged, and some again after that; says what came of them.

    `consume(delivery)` returns whether to acknowledge; anything but true, and any exception, means that it is delivered again, `retry` seconds later.
    Times are seconds of an imagined clock, in `delivery.now`: events are `interval` apart and come up to `disorder` late. Of all, a share of `duplicates`
    is delivered again within `delay`, and a share of `late` after `late_by` more. At each checkpoint the process dies with a chance of `crashes`;
    then `restart(now)` is called, if it is given: to open anew what was in memory.
    """
    rng = random.Random(seed)
    report = Report()
    queue: list[tuple[float, int, Any, int, bool]] = []
    last = 0
    for number, event in enumerate(events):
        at = start + number * interval + rng.random() * disorder
        queue.append((at, number, event, 1, False))
        last = number
        report.effects.setdefault(key(event), 0)
    report.events = len(queue)
    heapq.heapify(queue)
    acknowledged: set[Hashable] = set()

    def push(at: float, event: Any, attempt: int, extra: bool) -> None:
        nonlocal last
        last += 1
        heapq.heappush(queue, (at, last, event, attempt, extra))

    while queue:
        now, _, event, attempt, extra = heapq.heappop(queue)
        name = key(event)
        report.deliveries += 1
        delivery = Delivery(event, now, attempt, report, name, lambda: rng.random() < crashes)
        try:
            done = consume(delivery) is True
            # The acknowledgement may be lost as well.
            delivery.checkpoint()
        except Crash:
            report.crashed += 1
            done = False
            if restart is not None:
                restart(now)
        except Exception:
            done = False
        if not done:
            push(now + retry * (1 + 0.1 * rng.random()), event, attempt + 1, extra)
            continue
        acknowledged.add(name)
        if not extra and rng.random() < duplicates:
            push(now + rng.random() * delay, event, attempt + 1, True)
        if not extra and rng.random() < late:
            push(now + late_by + rng.random() * delay, event, attempt + 1, True)
    report.acknowledged = len(acknowledged)
    report.lost = sum(1 for name in acknowledged if report.effects[name] == 0)
    report.repeated = sum(max(0, count - 1) for count in report.effects.values())
    return report
