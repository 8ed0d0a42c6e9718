"""Not run: `mypy --strict` must accept this file, every `type: ignore` in it included as needed."""

import time
from array import array
from datetime import timedelta
from uuid import UUID

from firstseen import (
    ERROR_CODES,
    FirstSeenError,
    FirstSeenTypeError,
    FirstSeenValueError,
    Sequences,
    SequenceStats,
    SequenceVerdict,
    Stats,
    Verdict,
    Window,
    __version__,
    fingerprint,
)


def use(window: Window) -> list[bool]:
    first: bool = window.first_seen("evt_1", time.time())
    window.first_seen(b"evt_1", now=timedelta(seconds=5))
    window.first_seen(7, 5)
    window.first_seen(UUID(int=1))
    window.first_seen(("tenant", 7, b"x", UUID(int=1)))
    verdict: Verdict = window.observe("evt_1", now=1, at=0.5)
    if verdict.kind == "duplicate":
        age: int | None = verdict.age_ms
        print(age, verdict.first, verdict.acknowledge)
    window.check_many({"a", "b"}, 1)
    stats: Stats = window.stats()
    ratio: float | None = stats.fill_ratio
    print(first, ratio, len(window), "a" in window, stats.held, stats.max_ids)
    answers: bytes = window.first_seen_u64(array("Q", [7]), now=5) + window.first_seen_u64(memoryview(b""), 5)
    answers += window.first_seen_packed(b"ab", array("i", [0, 1, 2]), 5)
    return window.first_seen_many(id for id in ("a", "b"))


def make() -> tuple[Window, Window]:
    exact = Window.exact(
        600,
        bucket=timedelta(seconds=10),
        max_ids=1000,
        on_full="reject",
        secret=bytes(16),
        clock=time.time,
        max_step=3600.0,
        max_lateness=0,
    )
    return exact, Window.from_buckets(1, 60, clock=lambda: 5)


def number(sequences: Sequences) -> bool:
    verdict: SequenceVerdict = sequences.observe(("tenant", 7), 2**64 - 1, epoch=3, now=timedelta(seconds=1))
    if verdict.kind == "first":
        gap: int | None = verdict.gap
        print(gap, verdict.acknowledge)
    stats: SequenceStats = sequences.stats(5)
    cap: int | None = stats.max_producers
    print(cap, len(sequences), sequences.forget("p"))
    Sequences(width=0, max_producers=5, idle=timedelta(days=1))
    return sequences.first_seen("p", 1) and verdict.first


def refuse(window: Window) -> str:
    try:
        window.first_seen("")
    except FirstSeenTypeError as error:
        return error.code
    except (FirstSeenValueError, FirstSeenError) as error:
        return error.code
    return fingerprint("a", secret=b"x" * 16).hex() + ERROR_CODES[0] + __version__


def wrong(window: Window) -> None:
    window.first_seen(None)  # type: ignore[arg-type]
    window.first_seen(["a"])  # type: ignore[arg-type]
    window.first_seen(1.5)  # type: ignore[arg-type]
    window.first_seen("a", nwo=1)  # type: ignore[call-arg]
    window.first_seen("a", "now")  # type: ignore[arg-type]
    window.first_seen_u64([7])  # type: ignore[arg-type]
    window.first_seen_packed("ab", array("i"))  # type: ignore[arg-type]
    window.observe("a").kind = "first"  # type: ignore[misc]
    window.stats().held = 1  # type: ignore[misc]
    Window.exact(60, 1)  # type: ignore[call-arg]
    Window.exact(60, on_full="drop")  # type: ignore[arg-type]
    Window.exact(60, clock=5)  # type: ignore[arg-type]
    window.claim("a", lease=5)  # type: ignore[attr-defined]
    Sequences(64)  # type: ignore[call-arg]
    Sequences(width="64")  # type: ignore[arg-type]
    Sequences(width=64).first_seen("p", "1")  # type: ignore[arg-type]
    Sequences(width=64).first_seen("p", 1, 0)  # type: ignore[call-arg]


class Sub(Window):  # type: ignore[misc]
    pass
