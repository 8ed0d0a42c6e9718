"""Seconds in Python: exact for integers and timedeltas, rounded half up for floats."""

import datetime
import decimal
import fractions
import math
import random
from datetime import timedelta

import pytest
from firstseen import FirstSeenError, FirstSeenTypeError, Window

GREATEST = 2**53 - 1


def millis(seconds):
    """A time as the library takes it, read from the age of the id recorded at 0."""
    window = Window.exact(timedelta(milliseconds=GREATEST), bucket=timedelta(milliseconds=2**52))
    return window_time(window, seconds)


def window_time(window, seconds):
    # `effective_window_ms` is window time less the first time told.
    window.first_seen("a", 0)
    window.advance(seconds)
    return window.stats().effective_window_ms


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (1, 1000),
        (1.0, 1000),
        (0.0004, 0),
        (0.0005, 1),
        (-0.0, 0),
        (True + 1, 2000),
        (9_007_199_254_740, 9_007_199_254_740_000),
        (timedelta(milliseconds=GREATEST), GREATEST),
        (timedelta(microseconds=499), 0),
        (timedelta(microseconds=500), 1),
        (timedelta(microseconds=1500), 2),
        (timedelta(days=1, microseconds=1), 86_400_000),
        (datetime.datetime(2024, 1, 2) - datetime.datetime(2024, 1, 1), 86_400_000),
    ],
)
def test_seconds_become_milliseconds(seconds, expected):
    assert millis(seconds) == expected


def test_floats_are_rounded_half_up_in_double_arithmetic():
    random_ = random.Random(7)
    for _ in range(2000):
        seconds = random_.random() * 10 ** random_.randrange(-3, 11)
        assert millis(seconds) == math.floor(seconds * 1000 + 0.5)


@pytest.mark.parametrize(
    "seconds",
    [
        -1,
        -0.0001,
        -1e-300,
        math.nan,
        math.inf,
        -math.inf,
        1e300,
        9_007_199_254_741,
        2**63,
        10**400,
        -(10**400),
        timedelta(microseconds=-1),
        timedelta(milliseconds=2**53),
        timedelta.max,
        timedelta.min,
    ],
)
def test_out_of_range_is_a_value_error(window, seconds):
    for call in (window.first_seen, window.observe, window.check):
        with pytest.raises(ValueError) as caught:
            call("a", seconds)
        assert caught.value.code == "invalid_time"
        assert not isinstance(caught.value, TypeError)
    for call in (window.first_seen_many, window.observe_many, window.check_many):
        for ids in (["a"], []):
            with pytest.raises(FirstSeenError, match="`now`"):
                call(ids, seconds)
    for call in (window.advance, window.stats):
        with pytest.raises(FirstSeenError, match="`now`"):
            call(seconds)
    with pytest.raises(FirstSeenError, match="`at`"):
        window.observe("a", 0, seconds)
    for option in ("bucket", "max_step", "max_lateness"):
        with pytest.raises(FirstSeenError, match=f"`{option}`") as caught:
            Window.exact(60, **{option: seconds})
        assert caught.value.code == "invalid_time"
    assert window.stats().checked == 0


@pytest.mark.parametrize(
    "seconds",
    [
        True,
        False,
        "1",
        b"1",
        1j,
        decimal.Decimal(1),
        fractions.Fraction(1),
        [1],
        datetime.datetime(2024, 1, 1),
        datetime.date(2024, 1, 1),
    ],
)
def test_a_wrong_type_is_a_type_error(window, seconds):
    for call in (window.first_seen, window.check):
        with pytest.raises(FirstSeenTypeError) as caught:
            call("a", seconds)
        assert isinstance(caught.value, TypeError)
        assert caught.value.code == "invalid_time"
    with pytest.raises(FirstSeenTypeError, match="`window`"):
        Window.exact(seconds)
    with pytest.raises(FirstSeenTypeError, match="`at`"):
        window.observe("a", 0, seconds)


def test_subclasses_of_numbers_are_numbers():
    class Seconds(float):
        pass

    class Whole(int):
        pass

    class Delta(timedelta):
        days = property(lambda self: 1 / 0)

    assert millis(Seconds(1.5)) == 1500
    assert millis(Whole(2)) == 2000
    assert millis(Delta(seconds=3)) == 3000


def test_arguments_are_judged_in_the_order_of_the_signature(window):
    def code(*arguments):
        with pytest.raises(FirstSeenError) as caught:
            window.observe(*arguments)
        return caught.value.code, str(caught.value)

    assert code("", "bad", "bad")[0] == "empty_id"
    assert code("a", "bad", "bad")[1].startswith("`now`")
    assert code("a", 1, "bad")[1].startswith("`at`")
