"""A payload as an id: the canonical form of a JSON text (RFC 8785), by Python's own reader and exact arithmetic."""

import json
import re
from decimal import Decimal

from .errors import OracleError
from .ids import NO_SECRET, fingerprint

MAX_DEPTH = 128
LEFT_OUT = object()
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def _wrong():
    return OracleError("invalid_json")


def _members(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _wrong()
    return members


def _integer(literal):
    double = _fraction(literal)
    if int(double) != int(literal):
        raise _wrong()
    return double


def _fraction(literal):
    double = float(literal)
    if double in (float("inf"), float("-inf")):
        raise _wrong()
    return double


def _constant(_):
    raise _wrong()


def _depth(text):
    """The greatest number of brackets that are open at once, outside of texts."""
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", text, flags=re.DOTALL)
    depth = greatest = 0
    for char in outside:
        depth += (char in "[{") - (char in "]}")
        greatest = max(greatest, depth)
    return greatest


def _read(payload):
    """The value of a text, or of its bytes."""
    if isinstance(payload, str):
        if LONE_SURROGATE.search(payload):
            raise OracleError("invalid_text")
        text = payload
    elif isinstance(payload, bytes):
        try:
            text = payload.decode("utf-8")
        except UnicodeDecodeError:
            raise _wrong() from None
    else:
        raise _wrong()
    if text.startswith("\ufeff") or _depth(text) > MAX_DEPTH:
        raise _wrong()
    try:
        value = json.loads(
            text,
            object_pairs_hook=_members,
            parse_int=_integer,
            parse_float=_fraction,
            parse_constant=_constant,
        )
    except ValueError:
        raise _wrong() from None
    if any(LONE_SURROGATE.search(each) for each in _texts(value)):
        raise _wrong()
    return value


def _texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, dict):
        for name, each in value.items():
            yield name
            yield from _texts(each)


def _number(double):
    """As ECMAScript's Number::toString. `repr` gives the same digits: the fewest, and of several the nearest."""
    sign, digits, exponent = Decimal(repr(double)).normalize().as_tuple()
    if digits == (0,):
        return "0"
    digits, point = "".join(map(str, digits)), len(digits) + exponent
    if len(digits) <= point <= 21:
        text = digits + "0" * (point - len(digits))
    elif 0 < point <= 21:
        text = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{digits}"
    else:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        text = f"{digits[0]}{fraction}e{point - 1:+}"
    return ("-" if sign else "") + text


def _text(text):
    def escaped(char):
        return SHORT.get(char) or (f"\\u{ord(char):04x}" if char < " " else char)

    return f'"{"".join(map(escaped, text))}"'


def _written(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{_text(name)}:{_written(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_written, value)) + "]"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return _number(value)
    return {None: "null", True: "true", False: "false"}[value]


def _pointers(pointers):
    """Each pointer as its list of names."""
    if not isinstance(pointers, list):
        raise OracleError("invalid_config")
    for pointer in pointers:
        if not isinstance(pointer, str) or not re.fullmatch(r"(?s:/(?:[^~]|~[01])*)", pointer):
            raise OracleError("invalid_config")
        if LONE_SURROGATE.search(pointer):
            raise OracleError("invalid_config")
    return [[name.replace("~1", "/").replace("~0", "~") for name in pointer[1:].split("/")] for pointer in pointers]


def _parts(value):
    """The members or elements by the names that pointers give them."""
    if isinstance(value, dict):
        return value.items()
    return ((str(index), each) for index, each in enumerate(value))


def _same_kind(value, kept):
    return dict(kept) if isinstance(value, dict) else [each for _, each in kept]


def _inside(pointers, name):
    return [pointer[1:] for pointer in pointers if pointer and pointer[0] == name]


def _without(value, pointers):
    if [] in pointers:
        return LEFT_OUT
    if not isinstance(value, (dict, list)):
        return value
    parts = [(name, _without(each, _inside(pointers, name))) for name, each in _parts(value)]
    return _same_kind(value, [(name, each) for name, each in parts if each is not LEFT_OUT])


def _only(value, pointers):
    if [] in pointers:
        return value
    if not isinstance(value, (dict, list)):
        return LEFT_OUT
    parts = [(name, _only(each, _inside(pointers, name))) for name, each in _parts(value)]
    kept = [(name, each) for name, each in parts if each is not LEFT_OUT]
    return _same_kind(value, kept) if kept else LEFT_OUT


def _selected(value, ignore, only):
    if ignore is not None and only is not None or only == []:
        raise OracleError("invalid_config")
    if only is not None:
        left = _only(value, _pointers(only))
    else:
        left = _without(value, _pointers([] if ignore is None else ignore))
    if left is LEFT_OUT or left in ({}, []) and value not in ({}, []):
        raise OracleError("empty_id")
    return left


def canonical(payload, ignore=None, only=None):
    return _written(_selected(_read(payload), ignore, only))


def fingerprint_json(payload, ignore=None, only=None, secret=NO_SECRET):
    return fingerprint(canonical(payload, ignore, only), secret)
