"""The short way into `first_seen` answers, refuses and counts as the general one does, which `observe` takes."""

import random
import sys
from datetime import timedelta
from inspect import signature
from uuid import UUID

import pytest
from firstseen import FirstSeenError, Window


class Text(str):
    pass


class Number(float):
    pass


def an_id(rng):
    number = rng.randrange(40)
    return rng.choice(
        [
            f"evt_{number}",
            f"évènement {number} 🦀",
            "x" * number,
            Text(f"evt_{number}"),
            f"evt_{number}".encode(),
            bytearray(b"evt_%d" % number),
            b"",
            number,
            2**64 - 1 - number,
            2**64 + number,
            -number,
            number % 2 == 0,
            float(number),
            ("acct", number),
            ("",),
            (),
            UUID(int=number),
            None,
            "\ud800" + str(number),
            [number],
        ]
    )


def a_time(rng, around):
    near = around + rng.uniform(-3, 3)
    return rng.choice(
        [near] * 12
        + [
            int(near),
            Number(near),
            timedelta(seconds=near),
            around + 500.0,
            around - 500.0,
            -near,
            float("nan"),
            float("inf"),
            2**53 // 1000 + rng.randrange(2),
            True,
            "1",
            None,
        ]
    )


def outcome(call, *arguments, **named):
    try:
        return call(*arguments, **named)
    except FirstSeenError as error:
        return type(error), error.code, str(error)


FORMS = [
    {},
    {"max_step": 100},
    {"max_ids": 8},
    {"max_ids": 8, "on_full": "reject"},
    {"secret": b"sixteen bytes ok"},
]


@pytest.mark.parametrize("options", FORMS)
@pytest.mark.parametrize("clock", [None, lambda: 1000.0])
def test_random_calls_go_the_same_by_both_ways(options, clock):
    rng = random.Random(7)
    for told in (True, False):
        short, general = Window.exact(60, clock=clock, **options), Window.exact(60, clock=clock, **options)
        outcomes = []
        for step in range(4000):
            value, now = an_id(rng), a_time(rng, 1000 + step / 40)
            times, named = rng.choice([((now,), {}), ((), {"now": now})]) if told or step % 50 == 49 else ((), {})
            first = outcome(short.first_seen, value, *times, **named)
            seen = outcome(general.observe, value, *times, **named)
            assert first == (seen if isinstance(seen, tuple) else seen.first), (value, now)
            outcomes.append(first)
        assert {True, False} < set(outcomes)
        counts = [
            (s.checked, s.first, s.duplicate, s.rejected, s.clock_regressions, s.held)
            for s in (short.stats(), general.stats())
        ]
        assert counts[0] == counts[1]


def test_every_form_of_call_is_taken():
    window = Window.exact(60)
    calls = [
        lambda: window.first_seen("a", 1.0),
        lambda: window.first_seen("a", now=1.0),
        lambda: window.first_seen("a", **{"".join(["n", "o", "w"]): 1.0}),
        lambda: window.first_seen(id="a", now=1.0),
        lambda: window.first_seen(now=1.0, id="a"),
        lambda: Window.first_seen(window, "a", 1.0),
        lambda: Window.first_seen(window, id="a", now=1.0),
    ]
    assert [call() for call in calls] == [True] + [False] * 6
    clocked = Window.exact(60)
    assert [clocked.first_seen("a"), clocked.first_seen("a", None), clocked.first_seen(id="a", now=None)] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("args", "named"),
    [
        ((), {}),
        ((), {"now": 1.0}),
        (("a", 1.0, 2.0), {}),
        (("a", 1.0), {"now": 1.0}),
        (("a",), {"at": 1.0}),
        (("a",), {"id": "a"}),
        (("a",), {"now": 1.0, "at": 1.0}),
    ],
)
def test_other_arguments_are_refused(args, named):
    window = Window.exact(60)
    with pytest.raises(TypeError, match=r"first_seen\(\)"):
        window.first_seen(*args, **named)
    assert window.stats().checked == 0


def test_the_window_must_be_one():
    for other in (None, "a", object()):
        with pytest.raises(TypeError, match="first_seen"):
            Window.first_seen(other, "a", 1.0)


def test_it_looks_like_any_other_method():
    method = Window.first_seen
    assert (method.__name__, method.__qualname__) == ("first_seen", "Window.first_seen")
    assert type(method) is type(Window.observe)
    assert str(signature(method)) == "(self, /, id, now=None)"
    assert method.__doc__.startswith("Records an id")


def test_a_call_keeps_and_drops_no_reference():
    window = Window.exact(60, max_ids=2, on_full="reject")
    names = ("".join(["evt", str(number)]) for number in range(3))
    held = [window, *names, 1.25, True, False, 3**40]
    window.first_seen(held[1], 1.25)
    window.first_seen(held[2], 1.25)

    def counts():
        return [sys.getrefcount(one) for one in held]

    before = counts()
    for _ in range(1000):
        assert window.first_seen(held[1], held[4]) is False
        assert outcome(window.first_seen, held[3], now=held[4])[1] == "full"
        assert outcome(window.first_seen, held[7], held[4])[1] == "full"
        assert outcome(window.first_seen, held[1])[1] == "invalid_time"
    grown = [after - count for after, count in zip(counts(), before, strict=True)]
    assert all(abs(change) < 100 for change in grown), grown
