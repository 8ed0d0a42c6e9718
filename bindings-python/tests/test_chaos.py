"""What the claims promise, under at-least-once delivery with crashes at every step."""

import pytest
from firstseen import Window
from firstseen.testing import deliver

EVENTS = 700_000
WINDOW = 600


def test_with_claims_no_event_is_lost_and_repeats_are_crashes():
    window = Window.exact(WINDOW)

    def consume(delivery):
        claim = window.claim(delivery.event, lease=30, now=delivery.now)
        delivery.checkpoint()
        if claim.first:
            delivery.effect()
            claim.commit(delivery.now)
            delivery.checkpoint()
        return claim.first or claim.verdict.acknowledge

    report = deliver(range(EVENTS), consume, seed=1)
    assert report.deliveries > 1_000_000
    assert report.crashed > 100_000
    assert report.acknowledged == EVENTS
    assert report.no_more_than_crashes_explain
    # An effect that takes the id as its idempotency key is done exactly once then.
    assert 0 < report.repeated <= report.crashed_after_effect


def test_with_claims_and_an_idempotent_effect_each_is_applied_exactly_once():
    window = Window.exact(WINDOW)
    applied, fence = {}, {}

    def consume(delivery):
        claim = window.claim(delivery.event, lease=30, now=delivery.now)
        if not claim.first:
            return claim.verdict.acknowledge

        def apply():
            # A store that refuses a token below the largest it has seen, and an id that it has.
            assert claim.token > fence.get(delivery.event, 0)
            fence[delivery.event] = claim.token
            applied.setdefault(delivery.event, claim.token)

        delivery.effect(apply)
        claim.commit(delivery.now)
        return True

    report = deliver(range(50_000), consume, seed=2)
    assert report.at_least_once
    assert len(applied) == 50_000


def test_without_claims_a_crash_loses_the_event():
    window = Window.exact(WINDOW)

    def consume(delivery):
        if window.first_seen(delivery.event, delivery.now):
            delivery.effect()
        return True

    report = deliver(range(20_000), consume, seed=3)
    assert report.lost > 500
    assert not report.at_least_once


@pytest.mark.parametrize("max_lateness", [None, WINDOW])
def test_beyond_the_window_only_lateness_saves(max_lateness):
    window = Window.exact(WINDOW, max_lateness=max_lateness)

    def consume(delivery):
        at = 1_000_000.0 + delivery.event * 0.1
        claim = window.claim(delivery.event, lease=30, now=delivery.now, at=at)
        if claim.first:
            delivery.effect()
            claim.commit(delivery.now)
        return claim.first or claim.verdict.acknowledge

    report = deliver(range(20_000), consume, seed=4, crashes=0.0, late=0.1, late_by=WINDOW + 60)
    assert report.at_least_once
    assert report.exactly_once is (max_lateness is not None)
    assert (window.stats().late > 1_000) is (max_lateness is not None)


def test_a_restart_without_the_memory_repeats_what_it_forgot():
    windows = [Window.exact(WINDOW)]

    def consume(delivery):
        claim = windows[-1].claim(delivery.event, lease=30, now=delivery.now)
        if claim.first:
            delivery.effect()
            claim.commit(delivery.now)
        return claim.first or claim.verdict.acknowledge

    report = deliver(range(5_000), consume, seed=5, restart=lambda _: windows.append(Window.exact(WINDOW)))
    assert report.at_least_once
    assert not report.no_more_than_crashes_explain
