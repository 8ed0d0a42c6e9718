"""The window's clock: which calls read it, when, and what comes of its mistakes."""

import gc
import time
import weakref
from datetime import timedelta

import pytest
from firstseen import FirstSeenError, Window


class Clock:
    def __init__(self, reading=1000.0):
        self.reading = reading
        self.calls = 0

    def __call__(self):
        self.calls += 1
        return self.reading


PATHS = {
    "first_seen": lambda window: window.first_seen("b"),
    "first_seen_many": lambda window: window.first_seen_many(["b", "c"]),
    "observe": lambda window: window.observe("b"),
    "observe_many": lambda window: window.observe_many(["b", "c"]),
    "check": lambda window: window.check("b"),
    "check_many": lambda window: window.check_many(["b", "c"]),
    "advance": lambda window: window.advance(),
    "stats": lambda window: window.stats(),
}


@pytest.mark.parametrize("path", PATHS)
def test_every_path_reads_the_given_clock_once(path):
    clock = Clock()
    window = Window.exact(60, clock=clock)
    window.first_seen("a")
    clock.calls = 0
    clock.reading = 2000
    PATHS[path](window)
    assert clock.calls == 1
    assert window.check("a").kind == "first"


def test_expiry_follows_the_fake_clock_alone():
    clock = Clock(0)
    window = Window.from_buckets(1, 60, clock=clock)
    assert window.first_seen("a")
    clock.reading = timedelta(seconds=59)
    assert not window.first_seen("a")
    clock.reading = 60.0
    assert window.first_seen("a")


@pytest.mark.parametrize("path", PATHS)
def test_what_the_clock_raises_passes_through_and_nothing_is_recorded(path):
    class Broken(Exception):
        pass

    def clock():
        raise Broken("no time")

    window = Window.exact(60, clock=clock)
    with pytest.raises(Broken, match="no time"):
        PATHS[path](window)
    assert len(window) == 0
    # Nothing was decided either: the window may still be told.
    assert window.first_seen("b", 5)
    assert window.stats().checked == 1


@pytest.mark.parametrize("reading", [None, True, "5", -1, float("nan"), 10**30])
def test_a_bad_reading_is_invalid_time(reading):
    window = Window.exact(60, clock=lambda: reading)
    with pytest.raises(FirstSeenError, match="`clock`") as caught:
        window.first_seen("a")
    assert caught.value.code == "invalid_time"
    assert len(window) == 0


def test_a_told_window_does_not_read_its_clock():
    clock = Clock()
    window = Window.exact(60, clock=clock)
    window.first_seen("a", 5)
    assert window.check("a").age_ms == 0
    assert window.stats().held == 1
    assert window.check_many(["a"])[0].kind == "duplicate"
    for call in (window.first_seen, window.observe):
        with pytest.raises(FirstSeenError) as caught:
            call("b")
        assert caught.value.code == "invalid_time"
    assert clock.calls == 0


def test_a_clocked_window_is_not_told():
    window = Window.exact(60)
    window.first_seen("a")
    for call in (window.first_seen, window.observe):
        with pytest.raises(FirstSeenError) as caught:
            call("b", time.time())
        assert caught.value.code == "invalid_time"
    with pytest.raises(FirstSeenError):
        window.advance(time.time() + 1)


def test_an_id_is_judged_before_the_clock_is_read():
    clock = Clock()
    window = Window.exact(60, clock=clock)
    with pytest.raises(FirstSeenError):
        window.first_seen("")
    with pytest.raises(FirstSeenError):
        window.first_seen_many(["a", None])
    assert clock.calls == 0


def test_a_clock_may_use_its_window():
    window = None

    def clock():
        assert "a" not in window
        window.check("a", 1)
        window.clear()
        return 5

    window = Window.exact(60, clock=clock)
    assert window.first_seen("a")


@pytest.mark.parametrize("wrong", [1.5, "time", 0])
def test_a_clock_is_callable(wrong):
    with pytest.raises(FirstSeenError, match="`clock`") as caught:
        Window.exact(60, clock=wrong)
    assert caught.value.code == "invalid_config"
    assert isinstance(caught.value, TypeError)


def test_the_default_clock_is_in_unix_time_and_goes_on():
    window = Window.exact(1000, bucket=1000)
    window.first_seen("a")
    # Known only through its bucket: an age of at most one bucket on the wall clock's scale.
    assert window.check("a", time.time() + 2500).kind == "first"
    short = Window.exact(0.02, bucket=0.01)
    assert short.first_seen("a")
    assert not short.first_seen("a")
    time.sleep(0.05)
    assert short.first_seen("a")


def test_a_cycle_through_the_clock_is_collected():
    class Consumer:
        def __init__(self):
            self.window = Window.exact(60, clock=self.now)

        def now(self):
            return 5

    consumer = Consumer()
    consumer.window.first_seen("a")
    gone = weakref.ref(consumer)
    del consumer
    gc.collect()
    assert gone() is None
