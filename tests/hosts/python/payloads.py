"""A case of a payload as an id."""

import firstseen
from values import id_value

KEYS = {"payload", "ignore", "only", "secret", "fingerprint", "error"}


def forms(payload):
    """A payload in every form that Python has for it."""
    value = id_value(payload)
    yield value
    if isinstance(value, bytes):
        yield bytearray(value)
        yield memoryview(value)
    elif "text" in payload:
        yield value.encode()


def pointers(value, container):
    """A list of pointers, or what is no such list."""
    return container(value) if isinstance(value, list) else id_value(value)


def fingerprint(case, value, container):
    options = {name: pointers(case[name], container) for name in ("ignore", "only") if name in case}
    if "secret" in case:
        options["secret"] = bytes.fromhex(case["secret"])
    return firstseen.fingerprint_json(value, **options).hex()
