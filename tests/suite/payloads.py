"""Writes the cases of payloads as ids: `python tests/suite/payloads.py`.

What a canonical form is, and what is refused, is written by hand, in `payload_forms.py` and `payload_refusals.py`; the oracle must agree, and computes the fingerprints.
"""

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from oracle.errors import OracleError  # noqa: E402
from oracle.ids import fingerprint  # noqa: E402
from oracle.payloads import canonical  # noqa: E402

from suite.files import VECTORS, write  # noqa: E402
from suite.golden import SECRETS  # noqa: E402
from suite.payload_forms import BITS, CANONICAL, NUMBERS, SELECTED  # noqa: E402
from suite.payload_refusals import REFUSED, REFUSED_BYTES, REFUSED_OPTIONS, TYPES  # noqa: E402
from suite.values import id_value  # noqa: E402


def agreed(payload, options, wanted):
    """What the oracle makes of a payload; it must be what stands here."""
    lists = {name: _list(value) for name, value in options.items()}
    try:
        found = canonical(id_value(payload), **lists)
    except OracleError as error:
        found = error.code
    if found != wanted:
        raise SystemExit(f"{payload!r} {options!r}: {found!r}, expected {wanted!r}")


def _list(value):
    """A list of pointers, or what is none."""
    if isinstance(value, list):
        return value
    return [id_value(each) for each in value["list"]] if "list" in value else id_value(value)


def good(name, why, payload, wanted, options=None, secret=None):
    options = options or {}
    agreed(payload, options, wanted)
    key = bytes.fromhex(secret or "00" * 16)
    made = {"name": name, "why": why, "flags": ["fault-31"], "payload": payload, **options}
    return made | ({"secret": secret} if secret else {}) | {"fingerprint": fingerprint(wanted, key).hex()}


def bad(name, why, payload, options, code, hosts=None):
    agreed(payload, options, code)
    made = {"name": name, "why": why, "flags": ["types"] if hosts else ["fault-15"]}
    return made | ({"hosts": hosts} if hosts else {}) | {"payload": payload, **options, "error": code}


def text(value):
    return {"text": value}


def forms():
    for name, why, payload, wanted in CANONICAL:
        yield good(name, why, text(payload), wanted)
    for name, secret in SECRETS.items():
        yield good(
            f"a payload's fingerprint is keyed, {name} secret", "as that of any id", text("{ }"), "{}", None, secret
        )
    body = '{"id":"evt_1","amount":12.50,"tags":["a","b"]}'
    wanted = '{"amount":12.5,"id":"evt_1","tags":["a","b"]}'
    yield good("a payload in bytes", "as it comes from the wire", {"bytes": body.encode().hex()}, wanted)
    large = "[%s0]" % ("0," * 50_000)
    yield good(
        "a payload of a hundred thousand bytes",
        "any length",
        {"repeat": {"hex": large.encode().hex(), "bytes": len(large)}},
        large,
    )


def numbers():
    for bits, wanted in BITS.items():
        double = struct.unpack(">d", bytes.fromhex(bits))[0]
        # Its own digits, as a fraction: the RFC has 2^68, whose canonical form is another integer.
        literal = f"{double:.17e}"
        yield good(f"the double {bits}", "appendix B of RFC 8785", text(literal), wanted)
    for literal, wanted, why in NUMBERS:
        shown = literal if len(literal) < 60 else f"{literal[:5]}...{literal[-5:]} of {len(literal)} characters"
        yield good(f"the number {shown}", why, text(f"[{literal}]"), f"[{wanted}]")


def selected():
    for name, why, payload, option, pointers, wanted in SELECTED:
        yield good(name, why, text(payload), wanted, {option: pointers})


def refused():
    for name, why, payload in REFUSED:
        yield bad(f"payload refused: {name}", why, text(payload), {}, "invalid_json")
    for name, why, payload in REFUSED_BYTES:
        yield bad(f"payload refused: {name}", why, {"bytes": payload.hex()}, {}, "invalid_json")
    many = {"repeat": {"hex": "5b", "bytes": 1_000_000}}
    yield bad("payload refused: a million brackets", "no stack overflows", many, {}, "invalid_json")
    for name, why, payload, options, code in REFUSED_OPTIONS:
        yield bad(f"payload refused: {name}", why, text(payload), options, code)


def types():
    for name, why, payload, options, code in TYPES:
        yield bad(f"payload refused: {name}", why, payload, options, code, ["python", "js"])


FILES = {
    "2-fingerprint/payload-forms": (forms, "One value has one canonical form, and so one fingerprint, however it is written."),
    "2-fingerprint/payload-numbers": (numbers, "Numbers are doubles, written as ECMAScript writes them."),
    "2-fingerprint/payload-members": (selected, "What ignore and only leave of a payload."),
    "7-errors/payloads": (refused, "Texts that are no JSON or are ambiguous, and lists that name no members."),
    "7-errors/payload-types": (types, "Payloads and lists of a wrong type."),
}  # fmt: skip


def main():
    written = 0
    for name, (made, about) in FILES.items():
        stage, cases = name.split("/")[0], list(made())
        head = {"kind": "fingerprint_json", "stage": stage, "about": about, "count": len(cases)}
        write(VECTORS / f"{name}.json", head | {"cases": cases})
        written += len(cases)
    print(f"{written} cases written")


if __name__ == "__main__":
    main()
