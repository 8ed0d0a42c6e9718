"""Payloads as ids: what the shared vectors cannot say."""

import firstseen
import pytest
from firstseen import FirstSeenError, FirstSeenTypeError, FirstSeenValueError, Window


def refused(*args, **options):
    with pytest.raises(FirstSeenError) as caught:
        firstseen.fingerprint_json(*args, **options)
    return caught.value


def test_a_payload_is_the_text_of_its_canonical_form():
    assert firstseen.fingerprint_json('{"b": 1.0, "a": [true]}') == firstseen.fingerprint('{"a":[true],"b":1}')


def test_equal_readings_are_told_apart_by_what_stands_beside_them():
    window = Window.exact(600)
    body = firstseen.fingerprint_json('{"celsius": 21.5}')
    assert [window.first_seen((body, minute), 0) for minute in (1, 2, 2)] == [True, True, False]


def test_a_message_names_the_byte_and_not_the_content():
    error = refused('{"card": "4111 1111", "card": 1}')
    assert type(error) is FirstSeenValueError
    assert "a second member of the same name at byte 22" in str(error)
    assert "card" not in str(error)
    assert "4111" not in str(error)


def test_a_pointer_that_is_none_is_named():
    error = refused("{}", ignore=["/a", "sent_at"])
    assert error.code == "invalid_config"
    assert "`ignore` is `sent_at`" in str(error)


@pytest.mark.parametrize("text", [None, 7, {}, [], object()])
def test_what_is_no_text_is_a_type_error(text):
    error = refused(text)
    assert type(error) is FirstSeenTypeError
    assert error.code == "invalid_json"


def test_the_secret_is_judged_last():
    assert refused("{}", only=["/a"], secret=b"short").code == "empty_id"
    error = refused("{}", secret=b"short")
    assert error.code == "invalid_config"
    assert "secret" in str(error)


def test_what_an_iteration_raises_reaches_the_caller():
    class Pointers(list):
        def __iter__(self):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        firstseen.fingerprint_json("{}", ignore=Pointers())


def test_a_large_payload_is_read():
    members = ",".join(f'"{number:x}":{number}.5' for number in reversed(range(100_000)))
    ordered = ",".join(f'"{name}":{int(name, 16)}.5' for name in sorted(f"{number:x}" for number in range(100_000)))
    assert firstseen.fingerprint_json(f"{{{members}}}") == firstseen.fingerprint(f"{{{ordered}}}")
