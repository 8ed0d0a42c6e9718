"""Batches that come as whole buffers: the same answers as id by id, and nothing that is guessed at."""

import ctypes
import itertools
import random
import sys
from array import array

import pytest
from firstseen import FirstSeenError, FirstSeenTypeError, FirstSeenValueError, Window

SWAPPED = ctypes.c_uint64.__ctype_be__ if sys.byteorder == "little" else ctypes.c_uint64.__ctype_le__
UINT32, UINT64 = (next(code for code in "ILQ" if array(code).itemsize == size) for size in (4, 8))
INT32, INT64 = (next(code for code in "ilq" if array(code).itemsize == size) for size in (4, 8))
KINDS = (UINT32, INT32, UINT64, INT64, "Q", "q")


class Column:
    """What an Arrow array looks like to this package."""

    def __init__(self, values):
        self.values = values

    def to_numpy(self):
        if isinstance(self.values, Exception):
            raise self.values
        return self.values


class Masked(array):
    """What NumPy's masked array looks like to this package."""

    mask = True


def words(*values):
    return array("Q", values)


def table(rows, columns):
    return memoryview(bytes(8 * rows * columns)).cast("Q", [rows, columns])


def released():
    view = memoryview(words(1))
    view.release()
    return view


def is_refused(call, code, kind=FirstSeenTypeError):
    with pytest.raises(FirstSeenError) as caught:
        call()
    assert type(caught.value) is kind
    assert caught.value.code == code
    return caught.value


def untouched(window):
    return window.stats().checked == 0 and len(window) == 0


@pytest.mark.parametrize(
    "make",
    [
        words,
        lambda *values: memoryview(words(*values)),
        lambda *values: memoryview(words(*values).tobytes()).cast("Q"),
        lambda *values: memoryview(words(*values).tobytes()).cast("@Q"),
        lambda *values: memoryview(words(*values).tobytes()).cast("L" if ctypes.sizeof(ctypes.c_long) == 8 else "Q"),
        lambda *values: (ctypes.c_uint64 * len(values))(*values),
        lambda *values: memoryview(words(*itertools.chain.from_iterable((value, 99) for value in values)))[::2],
        lambda *values: memoryview(words(*reversed(values)))[::-1],
        lambda *values: Column(words(*values)),
    ],
)
def test_every_buffer_of_unsigned_words_is_a_batch(window, make):
    answers = window.first_seen_u64(make(7, 0, 2**64 - 1, 7, 2**63, 0), 1)
    assert type(answers) is bytes
    assert answers == b"\1\1\1\0\1\0"
    assert len(window) == 4
    assert all(one in window for one in (7, 0, 2**64 - 1, 2**63))
    assert window.first_seen_u64(make(), 1) == b""
    assert window.first_seen_u64(ids=make(7, 8), now=1) == b"\0\1"


@pytest.mark.parametrize("options", [{}, {"max_ids": 500}, {"secret": b"sixteen bytes ok"}])
def test_words_are_answered_as_integers_one_by_one(options):
    dice = random.Random(5)
    whole, single, many = (Window.exact(60, **options) for _ in range(3))
    for now in range(0, 200, 10):
        ids = [dice.randrange(1000) << dice.randrange(54) for _ in range(300)]
        answers = whole.first_seen_u64(words(*ids), now)
        assert list(answers) == many.first_seen_many(ids, now)
        assert list(answers) == [single.first_seen(one, now) for one in ids]
        assert whole.stats(now) == many.stats(now)


@pytest.mark.parametrize(
    "wrong",
    [
        array("q", [1]),
        array("d", [1.0]),
        array("I", [1, 2]),
        array("H", [1]),
        memoryview(bytes(8)).cast("?"),
        memoryview(bytes(8)).cast("P"),
        bytes(8),
        bytearray(8),
        table(1, 1),
        table(2, 3),
        ctypes.c_uint64(5),
        (SWAPPED * 1)(5),
        released(),
        Column(array("d", [1.0])),
        Column(ValueError("nulls")),
        Masked("Q", [1]),
        Column(Masked("Q", [1])),
        Column([1]),
        Column(Column(words(1))),
        [1],
        (1,),
        range(3),
        iter([1]),
        "abc",
        5,
        None,
    ],
)
def test_anything_else_is_no_buffer_of_words(window, wrong):
    is_refused(lambda: window.first_seen_u64(wrong, 1), "invalid_id")
    assert untouched(window)


def test_why_an_array_was_refused_stays_known(window):
    cause = ValueError("1 null")
    error = is_refused(lambda: window.first_seen_u64(Column(cause), 1), "invalid_id")
    assert error.__cause__ is cause
    with pytest.raises(KeyError, match="its own affair"):
        window.first_seen_u64(Column(KeyError("its own affair")), 1)
    assert "format `q` and 8 bytes" in str(is_refused(lambda: window.first_seen_u64(array("q"), 1), "invalid_id"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "hold",
    [bytes, bytearray, memoryview, lambda data: array("b", data), lambda data: (ctypes.c_char * len(data))(*data)],
)
def test_packed_ids_are_slices(window, kind, hold):
    data = hold(b"--aabbbaa--")
    assert window.first_seen_packed(data, array(kind, [2, 4, 7, 9]), 1) == b"\1\1\0"
    assert "aa" in window
    assert b"bbb" in window
    assert len(window) == 2
    assert window.first_seen_packed(data=data, offsets=Column(array(kind, [0, 4, 7])), now=1) == b"\1\0"
    assert window.first_seen_packed(data, memoryview(array(kind, [2, 9, 4, 9]))[::2], 1) == b"\0"
    for place in (0, 2, 11):
        assert window.first_seen_packed(data, array(kind, [place]), 1) == b""


def test_packed_ids_are_answered_as_byte_strings_one_by_one():
    dice = random.Random(6)
    packed, many = Window.exact(60), Window.exact(60)
    for now in range(0, 200, 10):
        ids = [dice.randbytes(dice.choice((1, 1, 2, 40))) for _ in range(300)]
        offsets = array("q", itertools.accumulate(map(len, ids), initial=0))
        assert list(packed.first_seen_packed(b"".join(ids), offsets, now)) == many.first_seen_many(ids, now)
    assert packed.stats() == many.stats()


@pytest.mark.parametrize(
    "offsets",
    [
        array("q", []),
        array("q", [-1]),
        array("q", [-1, 2]),
        array("q", [0, -1]),
        array("q", [7]),
        array("q", [0, 7]),
        array("q", [0, 3, 2]),
        array("q", [0, 6, 2**63 - 1]),
        array("Q", [0, 2**64 - 1]),
        array("h", [0, 3]),
        array("d", [0.0, 3.0]),
        bytes(16),
        table(1, 2),
        Column(array("d", [0.0, 3.0])),
        [0, 3],
        None,
    ],
)
def test_wrong_offsets_are_refused_before_any_id_is_recorded(window, offsets):
    is_refused(lambda: window.first_seen_packed(b"abcdef", offsets, 1), "invalid_id")
    assert untouched(window)


@pytest.mark.parametrize("data", ["abc", words(5), memoryview(bytes(4)).cast("B", [2, 2]), released(), [97], 5, None])
def test_wrong_data_is_refused(window, data):
    is_refused(lambda: window.first_seen_packed(data, array("q", [0, 1]), 1), "invalid_id")
    assert untouched(window)


def test_an_empty_slice_is_an_empty_id_and_the_first_refusal_counts(window):
    def packed(*offsets):
        return lambda: window.first_seen_packed(b"abc", array("q", offsets), 1)

    is_refused(packed(0, 2, 2, 3), "empty_id", FirstSeenValueError)
    is_refused(packed(0, 0, 9), "empty_id", FirstSeenValueError)
    is_refused(packed(0, 9, 9), "invalid_id")
    is_refused(lambda: window.first_seen_packed(None, None, -1), "invalid_id")
    assert untouched(window)


def test_time_is_told_once_and_judged_after_the_ids(window):
    def one(ids, now=None):
        return window.first_seen_u64(ids, now)

    is_refused(lambda: one(array("q", [1]), -1), "invalid_id")
    is_refused(lambda: one(words(1), -1), "invalid_time", FirstSeenValueError)
    is_refused(lambda: one(words(), -1), "invalid_time", FirstSeenValueError)
    assert one(words(1, 2), 5) == b"\1\1"
    is_refused(lambda: one(words(3)), "invalid_time", FirstSeenValueError)
    assert one(words(1), 4) == b"\0"

    readings = []
    clocked = Window.exact(60, clock=lambda: readings.append(None) or len(readings))
    clocked.first_seen_u64(words(*range(100)))
    clocked.first_seen_packed(b"abc", array("q", [0, 1, 2, 3]))
    assert len(readings) == 2


def test_a_full_window_refuses_the_whole_buffer():
    window = Window.exact(60, max_ids=2, on_full="reject")
    is_refused(lambda: window.first_seen_u64(words(1, 2, 3), 1), "full", FirstSeenError)
    is_refused(lambda: window.first_seen_packed(b"abc", array("q", range(4)), 1), "full", FirstSeenError)
    assert len(window) == 0
    assert window.first_seen_u64(words(1, 2, 1), 1) == b"\1\1\0"


def test_a_large_buffer(window):
    ids = array("Q", range(200_000))
    assert window.first_seen_u64(ids, 1) == b"\1" * 200_000
    assert window.first_seen_u64(ids, 1) == bytes(200_000)
