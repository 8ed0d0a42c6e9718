"""The window's surface in Python: signatures, containers, batches, and what is not there yet."""

import copy
import inspect
import itertools
import pickle
from datetime import timedelta

import firstseen
import pytest
from firstseen import FirstSeenError, FirstSeenTypeError, Stats, Verdict, Window


def test_the_installed_package_is_tested():
    assert "site-packages" in firstseen.__file__


def test_the_surface_is_this_and_nothing_more():
    assert sorted(name for name in dir(Window) if not name.startswith("_")) == [
        "advance",
        "bloom",
        "check",
        "check_many",
        "claim",
        "claim_many",
        "clear",
        "commit",
        "commit_many",
        "cuckoo",
        "exact",
        "first_seen",
        "first_seen_many",
        "first_seen_packed",
        "first_seen_u64",
        "forget",
        "from_buckets",
        "observe",
        "observe_many",
        "once",
        "release",
        "renew",
        "stats",
    ]
    assert sorted(name for name in dir(Verdict) if not name.startswith("_")) == [
        "acknowledge",
        "age_ms",
        "first",
        "kind",
        "lease_left_ms",
    ]
    options = "max_ids=None, on_full='evict_oldest', secret=None, clock=None, max_step=None, max_lateness=None"
    options += ", detect_conflicts=False"
    assert str(inspect.signature(Window.exact)) == f"(window, *, bucket=None, {options})"
    assert str(inspect.signature(Window.from_buckets)) == f"(bucket, buckets, *, {options})"


def test_a_window_is_made_by_name_only():
    with pytest.raises(TypeError):
        Window()
    with pytest.raises(TypeError):
        Window(60)
    with pytest.raises(TypeError):
        Window.exact()
    with pytest.raises(TypeError):
        object.__new__(Window)
    for final in (Window, Verdict, Stats):
        with pytest.raises(TypeError):
            type("Sub", (final,), {})


def test_arguments_may_be_named():
    window = Window.exact(window=60, bucket=1, max_lateness=0)
    assert window.first_seen(id="a", now=1)
    assert window.first_seen_many(ids=["a", "b"], now=1) == [False, True]
    assert window.observe(id="c", now=1, at=0).kind == "late"
    assert window.observe_many(ids=["a"], now=1)[0].kind == "duplicate"
    assert window.check(id="a", now=1).kind == "duplicate"
    assert window.check_many(ids=["a"], now=1)[0].kind == "duplicate"
    assert window.forget(id="a")
    window.advance(now=2)
    assert window.stats(now=2).held == 1
    assert Window.from_buckets(bucket=1, buckets=60).stats().buckets == 60


@pytest.mark.parametrize(
    "call",
    [
        lambda window: window.first_seen("a", nwo=1),
        lambda window: window.first_seen("a", 1, 2),
        lambda window: window.observe("a", 1, lateness=2),
        lambda window: window.advance(at=1),
        lambda _: Window.exact(60, max_id=5),
        lambda _: Window.exact(60, 1),
        lambda _: Window.from_buckets(1, 60, bucket_ms=1),
        lambda _: Window.from_buckets(1),
        lambda _: firstseen.fingerprint("a", b"sixteen bytes ok"),
    ],
)
def test_misspelt_missing_and_superfluous_arguments_are_type_errors(window, call):
    with pytest.raises(TypeError):
        call(window)


@pytest.mark.parametrize(
    ("option", "wrong", "is_type_error"),
    [
        ("max_ids", True, True),
        ("max_ids", 5.0, True),
        ("max_ids", "5", True),
        ("max_ids", 0, False),
        ("max_ids", -1, False),
        ("max_ids", 2**53, False),
        ("max_ids", 10**400, False),
        ("max_ids", -(10**400), False),
        ("on_full", "drop", False),
        ("on_full", "\ud800", False),
        ("on_full", None, True),
        ("on_full", b"reject", True),
        ("on_full", "reject", False),
        ("secret", "sixteen bytes ok", True),
        ("secret", b"short", False),
        ("bucket", 0, False),
        ("max_step", 0, False),
        ("window", 0, False),
    ],
)
def test_a_wrong_option_is_a_value_error_and_a_wrong_type_a_type_error_too(option, wrong, is_type_error):
    options = {"window": 60, option: wrong}
    with pytest.raises(ValueError) as caught:
        Window.exact(**options)
    if wrong != "\ud800":
        assert caught.value.code == "invalid_config"
    assert isinstance(caught.value, TypeError) is is_type_error


@pytest.mark.parametrize("wrong", [True, 60.0, "60", None, 1, 251, -1, 2**70])
def test_the_number_of_buckets_is_an_integer_from_2_to_250(wrong):
    with pytest.raises(FirstSeenError, match="`buckets`") as caught:
        Window.from_buckets(1, wrong)
    assert caught.value.code == "invalid_config"


def test_a_window_is_a_container_that_is_always_true(window):
    assert len(window) == 0
    assert window
    assert "a" not in window
    window.first_seen("a", 1)
    assert len(window) == 1
    assert "a" in window
    assert b"a" in window
    window.clear()
    assert window
    assert "a" not in window
    with pytest.raises(TypeError):
        iter(window)


def test_repr_shows_the_state_and_no_id():
    window = Window.exact(timedelta(minutes=1), max_ids=9)
    window.first_seen("s3cr3t", 1)
    assert repr(window) == ("<firstseen.Window window_ms=60000 bucket_ms=1000 buckets=61 held=1 max_ids=9>")
    assert repr(window.check("s3cr3t")) == "Verdict(kind='duplicate', age_ms=0)"
    assert repr(window.check("other")) == "Verdict(kind='first')"
    assert repr(window.stats()).startswith("Stats(checked=1, first=1, duplicate=0, ")
    assert "max_ids=9" in repr(window.stats())


@pytest.mark.parametrize("make", [list, tuple, iter, dict.fromkeys, lambda ids: (id for id in ids)])
def test_a_batch_is_any_iterable(window, make):
    assert window.first_seen("c", 1)
    assert window.check_many(make(["a", "c"]), 1) == [window.check("a"), window.check("c")]
    assert window.first_seen_many(make(["a", "b", "d", "c"]), 1) == [True, True, True, False]
    assert [verdict.kind for verdict in window.observe_many(make(["a", "e"]), 1)] == [
        "duplicate",
        "first",
    ]


def test_repeats_in_a_batch_are_duplicates(window):
    window.first_seen("c", 1)
    assert window.first_seen_many(["a", "b", "a", "c"], 1) == [True, True, False, False]
    assert window.first_seen_many([], 1) == []
    assert window.observe_many(iter(()), 1) == []


class Text(str):
    pass


@pytest.mark.parametrize(
    "lone", ["abc", "", Text("abc"), b"abc", bytearray(b"abc"), memoryview(b"abc"), 7, None, object()]
)
def test_a_lone_id_is_no_batch(window, lone):
    for call in (window.first_seen_many, window.observe_many, window.check_many):
        with pytest.raises(FirstSeenTypeError) as caught:
            call(lone, 1)
        assert caught.value.code == "invalid_id"
    assert len(window) == 0


def test_every_id_of_a_batch_is_judged_before_any_is_recorded(window):
    for wrong in (None, "", "\ud800"):
        with pytest.raises(FirstSeenError):
            window.first_seen_many(["a", wrong, "b"], 1)
    assert window.stats().checked == 0


def test_an_iterator_that_raises_changes_nothing(window):
    def broken():
        yield "a"
        raise KeyError("broken")

    class NeverIterable:
        def __iter__(self):
            raise ZeroDivisionError

    for call in (window.first_seen_many, window.observe_many):
        with pytest.raises(KeyError, match="broken"):
            call(broken(), 1)
        with pytest.raises(ZeroDivisionError):
            call(NeverIterable(), 1)
    assert window.stats().checked == 0


def test_a_large_batch(window):
    answers = window.first_seen_many(itertools.chain(range(100_000), range(100_000)), 1)
    assert answers == [True] * 100_000 + [False] * 100_000


def test_a_full_window_refuses_the_whole_batch():
    window = Window.exact(60, max_ids=2, on_full="reject")
    with pytest.raises(FirstSeenError) as caught:
        window.first_seen_many(["a", "b", "c"], 1)
    assert caught.value.code == "full"
    assert not isinstance(caught.value, ValueError)
    assert len(window) == 0
    assert window.stats().rejected == 1


def test_pickle_and_copy_are_not_there_yet(window):
    window.first_seen("a", 1)
    for one in (window, window.check("a"), window.stats()):
        for dump in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError):
                dump(one)


def test_a_verdict_is_a_value_without_a_truth(window):
    first, again = window.observe("a", 1), window.observe("a", 3)
    assert (first.kind, first.first, first.acknowledge, first.age_ms) == ("first", True, False, None)
    assert (again.kind, again.first, again.acknowledge) == ("duplicate", False, True)
    assert again.age_ms == 2000
    assert type(again.age_ms) is int
    for verdict in (first, again):
        with pytest.raises(TypeError, match="truth"):
            bool(verdict)
        with pytest.raises(AttributeError):
            verdict.kind = "first"
        with pytest.raises(AttributeError):
            verdict.other = 1
    assert first == window.check("z")
    assert hash(first) == hash(window.check("z"))
    assert again == window.check("a", 3) != window.check("a", 4)
    assert first != "first"
    assert len({first, again, window.check("z"), window.check("a", 3)}) == 2


def test_stats_are_plain_numbers(window):
    window.first_seen("a", 1)
    stats = window.stats()
    names = [name for name in dir(stats) if not name.startswith("_")]
    assert len(names) == 25
    floats = {"estimated_false_drop_rate"}
    absent = {"max_ids", "fill_ratio"}
    for name in names:
        kind = float if name in floats else type(None) if name in absent else int
        assert type(getattr(stats, name)) is kind, name
    assert stats == window.stats() != window.stats(5)
    assert Window.exact(60, max_ids=4).stats().fill_ratio == 0.0
    with pytest.raises(AttributeError):
        stats.first = 2
