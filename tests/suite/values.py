"""From the JSON of a vector to the values that the oracle takes."""

import uuid

from oracle.times import NULL

SAFE = 2**53 - 1


def text_of_units(units):
    raw = b"".join(int(unit, 16).to_bytes(2, "little") for unit in units)
    return raw.decode("utf-16-le", "surrogatepass")


def _number(literal):
    """A JavaScript Number: an integer if it is a safe one, else something that is no id."""
    value = float(literal)
    return int(value) if value.is_integer() and abs(value) <= SAFE else value


def _repeat(of):
    unit, length = bytes.fromhex(of["hex"]), of["bytes"]
    return (unit * (length // len(unit) + 1))[:length]


ID = {
    "text": str,
    "bytes": bytes.fromhex,
    "int": int,
    "list": lambda parts: tuple(id_value(part) for part in parts),
    "repeat": _repeat,
    "utf16": text_of_units,
    "uuid": uuid.UUID,
    "number": _number,
    "null": lambda _: None,
    "bool": bool,
    "float": float,
    "object": lambda _: {},
}


def id_value(tagged):
    ((tag, content),) = tagged.items()
    return ID[tag](content)


def batch_value(ids):
    return [id_value(one) for one in ids] if isinstance(ids, list) else id_value(ids)


PLAIN = {"float": float, "bool": bool, "text": str, "null": lambda _: NULL}


def plain_value(value):
    """A time or a count: a bare integer, or one tag for bad and for fractional input."""
    if not isinstance(value, dict):
        return value
    ((tag, content),) = value.items()
    return PLAIN[tag](content)
