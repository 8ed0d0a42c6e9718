"""Claims as Python has them: context managers, the decorator, threads and tasks."""

import asyncio
import threading
import time
from datetime import timedelta

import pytest
from firstseen import FirstSeenError, InFlight, Window


def kind(window, id):
    return window.check(id).kind


def test_leaving_commits_and_an_exception_releases():
    window = Window.exact(60)
    with pytest.raises(ZeroDivisionError), window.claim("a", lease=30) as claim:
        assert claim.first
        assert kind(window, "a") == "in_flight"
        raise ZeroDivisionError
    assert kind(window, "a") == "first"
    with window.claim("a", lease=timedelta(seconds=30)) as claim:
        assert claim.first
    assert kind(window, "a") == "duplicate"
    with window.claim("a", lease=30) as claim:
        assert not claim.first
        assert claim.token is None
        assert claim.verdict.kind == "duplicate"
    assert kind(window, "a") == "duplicate"


def test_leaving_a_claim_that_is_not_first_frees_nothing():
    window = Window.exact(60)
    first = window.claim("a", lease=30)
    with pytest.raises(KeyError), window.claim("a", lease=30) as second:
        assert second.verdict.kind == "in_flight"
        raise KeyError
    assert kind(window, "a") == "in_flight"
    first.commit()
    with pytest.raises(FirstSeenError) as refused:
        second.commit()
    assert refused.value.code == "lease_lost"


def test_what_was_done_by_hand_is_not_done_again_on_leaving():
    window = Window.exact(60)
    with window.claim("a", lease=30) as claim:
        claim.commit()
    with window.claim("b", lease=30) as claim:
        claim.release()
    assert (kind(window, "a"), kind(window, "b")) == ("duplicate", "first")


def test_a_lease_that_was_lost_is_told_on_leaving():
    now = [100.0]
    window = Window.exact(60, clock=lambda: now[0])
    with pytest.raises(FirstSeenError) as lost, window.claim("a", lease=10):
        now[0] += 11
        assert window.first_seen("a")
    assert lost.value.code == "lease_lost"
    # An exception on its way is not hidden by it.
    with pytest.raises(KeyError), window.claim("b", lease=10):
        now[0] += 11
        assert window.first_seen("b")
        raise KeyError


def test_in_a_window_that_is_told_the_time_leaving_commits_at_the_time_of_the_claim():
    window = Window.exact(60)
    with window.claim("a", lease=30, now=1000) as claim:
        assert claim.first
    assert window.check("a", now=1060).kind == "duplicate"
    assert window.check("a", now=1061).kind == "first"


def test_tokens_and_batches():
    window = Window.exact(60)
    claims = window.claim_many(["a", "b", "a"], lease=30)
    assert [claim.verdict.kind for claim in claims] == ["first", "first", "in_flight"]
    tokens = [claim.token for claim in claims]
    assert tokens[0] < tokens[1]
    assert tokens[2] is None
    assert window.commit_many([tokens[0], 0, tokens[1]]) == [True, False, True]
    stats = window.stats()
    assert (stats.held, stats.pending, stats.in_flight) == (2, 0, 1)
    for wrong in (-1, "1", 1.0, True, 2**64):
        with pytest.raises(FirstSeenError) as refused:
            window.commit(wrong)
        assert refused.value.code == "invalid_id"
    with pytest.raises(TypeError):
        bool(claims[0])
    assert repr(claims[0]) == f"Claim(kind='first', token={tokens[0]})"
    assert window.claim("c", lease=5).verdict.lease_left_ms is None
    left = window.observe("c").lease_left_ms
    assert 4000 < left <= 5000


def test_async_with_commits_and_a_cancellation_releases():
    window = Window.exact(60)

    async def consume(id, started, work):
        async with window.claim(id, lease=30) as claim:
            assert claim.first
            started.set()
            await work

    async def main():
        started = asyncio.Event()
        await consume("a", started, asyncio.sleep(0))
        assert kind(window, "a") == "duplicate"
        started.clear()
        task = asyncio.create_task(consume("b", started, asyncio.sleep(60)))
        await started.wait()
        assert kind(window, "b") == "in_flight"
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert kind(window, "b") == "first"

    asyncio.run(main())


def test_once_calls_a_function_once_and_again_after_it_failed():
    window = Window.exact(60)
    calls = []

    @window.once(key=lambda event, **_: event["id"], lease=30)
    def handle(event, fail=False):
        """What it does."""
        calls.append(event["id"])
        if fail:
            raise KeyError(event["id"])
        return len(calls)

    assert handle.__doc__ == "What it does."
    with pytest.raises(KeyError):
        handle({"id": "a"}, fail=True)
    assert handle({"id": "a"}) == 2
    assert handle({"id": "a"}) is None
    assert calls == ["a", "a"]


def test_once_raises_in_flight_or_waits():
    window = Window.exact(60)
    claim = window.claim("a", lease=30)
    calls = []

    @window.once(key=str, lease=30)
    def at_once(id):
        calls.append(id)

    with pytest.raises(InFlight) as in_flight:
        at_once("a")
    assert 0 < in_flight.value.lease_left_ms <= 30_000

    @window.once(key=str, lease=30, wait=60)
    def patiently(id):
        calls.append(id)

    threading.Timer(0.05, claim.release).start()
    patiently("a")
    assert calls == ["a"]
    window.claim("b", lease=30)

    @window.once(key=str, lease=30, wait=0.02)
    async def shortly(id):
        calls.append(id)

    with pytest.raises(InFlight):
        asyncio.run(shortly("b"))


@pytest.mark.parametrize("asynchronous", [False, True])
def test_once_renews_the_lease_while_the_function_runs(asynchronous):
    window = Window.exact(60)

    def hold():
        # Longer than the lease: without renewals another would be first.
        verdicts = []
        for _ in range(15):
            verdicts.append(kind(window, "a"))
            time.sleep(0.02)
        return verdicts

    if asynchronous:

        @window.once(key=lambda: "a", lease=0.1)
        async def run():
            return await asyncio.to_thread(hold)

        verdicts = asyncio.run(run())
    else:
        verdicts = window.once(key=lambda: "a", lease=0.1)(hold)()
    assert set(verdicts) == {"in_flight"}
    assert kind(window, "a") == "duplicate"


def test_many_threads_do_each_effect_once():
    window = Window.exact(60)
    done, lock = [], threading.Lock()

    @window.once(key=int, lease=30, wait=True)
    def effect(number):
        with lock:
            done.append(number)
            if done.count(number) == 1 and number % 5 == 0:
                raise KeyError(number)

    def deliver():
        for number in range(300):
            for _ in range(2):
                try:
                    effect(number)
                except KeyError:
                    continue

    threads = [threading.Thread(target=deliver) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == sorted([*range(300), *range(0, 300, 5)])


def test_conflicts_and_filters_are_windows_too():
    window = Window.exact(60, detect_conflicts=True)
    kinds = [window.observe("a", body=body).kind for body in ("1", b"1", bytearray(b"2"))]
    assert kinds == ["first", "duplicate", "conflict"]
    assert not window.observe("a", body="2").acknowledge
    with pytest.raises(TypeError):
        window.observe("a", body=5)
    for make in (Window.bloom, Window.cuckoo):
        with pytest.raises(TypeError):
            make(60, expected_ids=100)
        with pytest.raises(TypeError):
            make(60, false_drop_rate=0.01)
        for rate in ("0.1", None, True):
            with pytest.raises(FirstSeenError) as refused:
                make(60, expected_ids=100, false_drop_rate=rate)
            assert refused.value.code == "invalid_config"
        window = make(60, expected_ids=1000, false_drop_rate=0.01)
        assert window.first_seen("a")
        verdict = window.observe("a")
        assert (verdict.kind, verdict.acknowledge) == ("probable_duplicate", True)
        assert window.stats().estimated_false_drop_rate < 0.01
        with window.claim("b", lease=5) as claim:
            assert claim.first
        assert "b" in window
