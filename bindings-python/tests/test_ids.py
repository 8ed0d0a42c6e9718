"""What Python's types are as ids. The values themselves are in the shared vectors."""

import array
import enum
import uuid

import pytest
from firstseen import FirstSeenError, FirstSeenTypeError, Window, fingerprint


class Text(str):
    def __str__(self):
        raise AssertionError("an id is read without calling its methods")


class Number(enum.IntEnum):
    SEVEN = 7


class Bytes(bytes):
    pass


def code_of(call, *arguments, **options):
    with pytest.raises(FirstSeenError) as caught:
        call(*arguments, **options)
    return caught.value.code


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("abc", b"abc"),
        ("abc", bytearray(b"abc")),
        ("abc", memoryview(b"abc")),
        ("abc", memoryview(b"a-b-c-")[::2]),
        ("abc", memoryview(b"cba")[::-1]),
        ("ab\0\0", memoryview(array.array("H", [0x6261, 0]))),
        ("abcd", memoryview(b"abcd").cast("B", shape=[2, 2])),
        ("abc", Text("abc")),
        ("abc", Bytes(b"abc")),
        (7, Number.SEVEN),
        (("a", 7), (bytearray(b"a"), Number.SEVEN)),
        (
            uuid.UUID("00000000-0000-4000-8000-00000000abcd"),
            "00000000-0000-4000-8000-00000000abcd",
        ),
        ((uuid.UUID(int=2**128 - 1), 1), ("ffffffff-ffff-ffff-ffff-ffffffffffff", 1)),
    ],
)
def test_these_are_one_id(window, one, other):
    assert fingerprint(one) == fingerprint(other)
    assert window.first_seen(one, 0)
    assert not window.first_seen(other, 0)
    assert other in window
    assert window.forget(other)


@pytest.mark.parametrize(("one", "other"), [(7, "7"), ("a", ("a",)), (("a", "bc"), ("ab", "c"))])
def test_these_are_two_ids(one, other):
    assert fingerprint(one) != fingerprint(other)


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        True,
        1.0,
        float("nan"),
        [],
        ["a"],
        {},
        {"a"},
        object(),
        int,
        array.array("B", b"abc"),
        (),
        ("a", None),
        ("a", True),
        ("a", ("b",)),
        ("a", ["b"]),
        (None, "\ud800"),
    ],
)
def test_a_wrong_type_is_a_type_error(window, wrong):
    for call in (window.first_seen, window.observe, window.check, window.forget, fingerprint):
        assert code_of(call, wrong) == "invalid_id"
        with pytest.raises(TypeError):
            call(wrong)
    with pytest.raises(FirstSeenTypeError):
        wrong in window  # noqa: B015
    assert window.stats().checked == 0


HUGE = 10**5000  # more digits than Python would print


@pytest.mark.parametrize(
    "wrong",
    [-1, -(2**63), 2**64, 2**128, *(pytest.param(n, id="huge") for n in (HUGE, -HUGE)), ("a", -1)],
)
def test_a_number_out_of_range_is_a_value_error(window, wrong):
    assert code_of(window.first_seen, wrong) == "invalid_id"
    with pytest.raises(ValueError):
        window.first_seen(wrong)


@pytest.mark.parametrize("empty", ["", b"", bytearray(), memoryview(b""), ("",), ("", b""), memoryview(b"abc")[3:]])
def test_an_empty_id_is_refused(window, empty):
    assert code_of(window.first_seen, empty) == "empty_id"
    with pytest.raises(ValueError):
        window.first_seen(empty)


@pytest.mark.parametrize("lone", ["\ud800", "a\udfffb", ("a", "\udc00"), Text("\ud800"), ("\ud800", None)])
def test_a_lone_surrogate_is_refused_and_never_replaced(window, lone):
    assert code_of(window.first_seen, lone) == "invalid_text"
    assert not window.check("\N{REPLACEMENT CHARACTER}").acknowledge


def test_a_released_memoryview_is_no_id(window):
    view = memoryview(b"abc")
    view.release()
    assert code_of(window.first_seen, view) == "invalid_id"


def test_a_buffer_is_read_once():
    window, buffer = Window.exact(60), bytearray(b"abc")
    assert window.first_seen(buffer)
    buffer[:] = b"xyz"
    assert "abc" in window
    assert buffer not in window


def test_an_id_may_be_megabytes_long(window):
    long = "é" * 4_000_000
    assert window.first_seen(long)
    assert not window.first_seen(long.encode())
    assert window.first_seen(long[:-1])


@pytest.mark.parametrize("secretive", ["s3cr3t\ud800", ("s3cr3t", None), ("s3cr3t", ("s3cr3t",)), ["s3cr3t"], -53737])
def test_messages_show_kind_and_length_never_content(window, secretive):
    with pytest.raises(FirstSeenError) as caught:
        window.first_seen(secretive)
    shown = f"{caught.value} {caught.value!r} {caught.value.args}"
    assert "s3cr3t" not in shown
    assert "53737" not in shown


def test_the_length_of_a_text_is_in_utf_16_units(window):
    with pytest.raises(FirstSeenError, match="of 4 UTF-16 units"):
        window.first_seen("a\N{GRINNING FACE}\ud800")


def test_the_secret_changes_every_fingerprint():
    secret = bytes(range(16))
    assert len(fingerprint("a")) == 16
    assert fingerprint("a", secret=None) == fingerprint("a", secret=bytes(16))
    assert fingerprint("a", secret=secret) != fingerprint("a")
    for same in (bytearray(secret), memoryview(secret), memoryview(bytes(range(32)))[:16]):
        assert fingerprint("a", secret=same) == fingerprint("a", secret=secret)


@pytest.mark.parametrize("wrong", [b"short", b"x" * 17, "sixteen bytes ok", 16, list(range(16))])
def test_a_secret_is_16_bytes(wrong):
    assert code_of(fingerprint, "a", secret=wrong) == "invalid_config"
    assert code_of(Window.exact, 60, secret=wrong) == "invalid_config"
    # The id stands first.
    assert code_of(fingerprint, "", secret=wrong) == "empty_id"
