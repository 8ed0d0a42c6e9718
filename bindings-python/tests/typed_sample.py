"""Not run: `mypy --strict` must accept this file, every `type: ignore` in it included as needed."""

import time
from array import array
from datetime import timedelta
from uuid import UUID

from firstseen import (
    ERROR_CODES,
    Claim,
    FirstSeenError,
    FirstSeenTypeError,
    FirstSeenValueError,
    InFlight,
    Plan,
    PlanChoice,
    Sequences,
    SequenceStats,
    SequenceVerdict,
    Stats,
    Verdict,
    Window,
    __version__,
    fingerprint,
    fingerprint_json,
    open_metrics,
    plan,
)
from firstseen.prometheus import Collector


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


def filters() -> list[Window]:
    bloom = Window.bloom(600, expected_ids=1_000_000, false_drop_rate=0.001, on_full="reject")
    Window.bloom(600, expected_ids=1_000_000)  # type: ignore[call-arg]
    Window.bloom(600, expected_ids=1, false_drop_rate=0.1, on_full="evict_oldest")  # type: ignore[arg-type]
    return [bloom, Window.cuckoo(600, expected_ids=1_000_000, false_drop_rate=0.001)]


async def claims(window: Window) -> int | None:
    with window.claim("evt_1", lease=30) as claim:
        first: bool = claim.first
        print(first, claim.verdict.lease_left_ms)
    async with window.claim("evt_2", lease=timedelta(seconds=30), now=5, at=4) as other:
        held: Claim = other
        held.renew(30)
    window.commit_many([claim.token or 0 for claim in window.claim_many(["a"], lease=5)])

    @window.once(key=lambda event: event["id"], lease=30, wait=5)
    def handle(event: dict[str, str]) -> int:
        return len(event)

    @window.once(key=str, lease=30)
    async def later(number: int) -> str:
        return str(number)

    try:
        text: str | None = await later(5)
        print(text)
    except InFlight as in_flight:
        print(in_flight.lease_left_ms)
    window.claim("evt_1")  # type: ignore[call-arg]
    return handle({"id": "a"})


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


def expose(window: Window, sequences: Sequences) -> str:
    Collector({"a": window, "b": sequences})
    return open_metrics({"a": window, "b": sequences}, now=5)


def plan_ahead() -> int | None:
    planned: Plan = plan(0.5, timedelta(hours=1), budget=2**20, false_drop_rate=None)
    bloom: PlanChoice | None = planned.bloom
    print(planned, planned.recommended, planned.exact.fits)
    return bloom.fitting_window_ms if bloom else planned.budget


def refuse(window: Window) -> str:
    try:
        window.first_seen("")
    except FirstSeenTypeError as error:
        return error.code
    except (FirstSeenValueError, FirstSeenError) as error:
        return error.code
    fingerprint_json(b"{}", ignore=["/a"], only=None, secret=bytes(16))
    fingerprint_json("{}", only=("/a",))
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
    open_metrics([window])  # type: ignore[arg-type]
    open_metrics({"a": 5})  # type: ignore[dict-item]
    plan(1000, 60, 2**20)  # type: ignore[call-arg]
    plan(1000, 60).recommended = "bloom"  # type: ignore[misc]
    Sequences(64)  # type: ignore[call-arg]
    Sequences(width="64")  # type: ignore[arg-type]
    Sequences(width=64).first_seen("p", "1")  # type: ignore[arg-type]
    Sequences(width=64).first_seen("p", 1, 0)  # type: ignore[call-arg]


class Sub(Window):  # type: ignore[misc]
    pass
