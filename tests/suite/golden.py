"""Writes the golden fingerprints: `python tests/suite/golden.py`, with `--openssl` to check each against OpenSSL."""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from oracle.errors import OracleError  # noqa: E402
from oracle.ids import check_value, encode, fingerprint  # noqa: E402

from suite.files import VECTORS, write  # noqa: E402
from suite.values import id_value  # noqa: E402

SECRETS = {
    "zero": "00" * 16,
    "counting": bytes(range(16)).hex(),
    "mixed": "c3a59f1e0b7d42868e10f4d25566b9ca",
}


def text(value):
    return {"text": value}


def integer(value):
    return {"int": str(value)}


def parts(*values):
    return {"list": [text(v) if isinstance(v, str) else integer(v) if isinstance(v, int) else v for v in values]}


def octets(length):
    """Bytes that differ from place to place, so that a missing or swapped one shows."""
    return bytes((7 * at + 3) % 251 for at in range(length))


def case(name, why, id_, secret, flags=()):
    made = {"name": name, "why": why, "flags": list(flags), "id": id_, "secret": SECRETS[secret]}
    try:
        made["fingerprint"] = fingerprint(id_value(id_), bytes.fromhex(SECRETS[secret])).hex()
    except OracleError as error:
        made["error"] = error.code
    return made


def each_secret(name, why, id_, flags=("fault-31",)):
    return [case(f"{name}, {secret} secret", why, id_, secret, flags) for secret in SECRETS]


def lengths():
    for length in range(65):
        why = "every tail length of the 8-byte words, below and above the first words" if length else "no id at all"
        flags = ["fault-31"] if length else ["fault-15"]
        yield from each_secret(f"bytes of length {length}", why, {"bytes": octets(length).hex()}, flags)
        ascii_text = "".join(chr(97 + at % 26) for at in range(length))
        yield from each_secret(f"text of length {length}", why, text(ascii_text), flags)
    for length in (127, 128, 255, 256, 257, 1023, 1024, 4095, 4096, 4097):
        why = "the length byte of SipHash wraps at 256; buffers end at powers of two"
        yield from each_secret(
            f"bytes of length {length}", why, {"repeat": {"hex": octets(251).hex(), "bytes": length}}
        )
    for length in (65535, 65536, 1048575, 1048576):
        why = "an id of any length is taken whole"
        yield case(
            f"bytes of length {length}, mixed secret",
            why,
            {"repeat": {"hex": "616263", "bytes": length}},
            "mixed",
            ["fault-31"],
        )


def integers():
    near = {0: "0", 1: "1", 7: "7", 255: "255", 256: "256"}
    for power in (31, 32, 53, 63):
        near |= {2**power - 1: f"2^{power}-1", 2**power: f"2^{power}", 2**power + 1: f"2^{power}+1"}
    near |= {2**64 - 2: "2^64-2", 2**64 - 1: "2^64-1", 0x0102030405060708: "0x0102030405060708"}
    for value, name in sorted(near.items()):
        why = "where signs, doubles and words of integers end" if value > 256 else "small integers are 8 bytes too"
        yield from each_secret(f"the integer {name}", why, integer(value), ["fault-17", "fault-31"])
    yield from each_secret("the text 7", "an integer is not its text", text("7"), ["fault-17", "fault-31"])
    yield from each_secret(
        "the bytes of the integer 7",
        "an integer is not its 8 bytes",
        {"bytes": "0700000000000000"},
        ["fault-17", "fault-31"],
    )


def composites():
    family = [
        ("a then bc", parts("a", "bc")),
        ("ab then c", parts("ab", "c")),
        ("abc alone in a list", parts("abc")),
        ("a, b and c apart", parts("a", "b", "c")),
        ("a alone in a list", parts("a")),
        ("a:b then c", parts("a:b", "c")),
        ("a then b:c", parts("a", "b:c")),
        ("a:b:c alone in a list", parts("a:b:c")),
        ("c then a:b", parts("c", "a:b")),
        ("the integer 7 alone in a list", parts(7)),
        ("the text 7 alone in a list", parts("7")),
        ("integers 1 then 2", parts(1, 2)),
        ("integers 2 then 1", parts(2, 1)),
        ("the integer 1, twice", parts(1, 1)),
        ("text 1 then integer 2", parts("1", 2)),
        ("integer 1 then text 2", parts(1, "2")),
        ("the greatest integer twice", parts(2**64 - 1, 2**64 - 1)),
        ("the integer 0 alone in a list", parts(0)),
        ("a then an empty text", parts("a", "")),
        ("an empty text then a", parts("", "a")),
        ("a between empty texts", parts("", "a", "")),
        ("two empty texts then a", parts("", "", "a")),
        ("an empty text then the integer 0", parts("", 0)),
        ("the integer 0 then an empty text", parts(0, "")),
        ("empty bytes then a", parts({"bytes": ""}, "a")),
        ("a text that looks like a frame", parts("a\x01\x02\x00\x00\x00\x00\x00\x00\x00bc")),
        ("a NUL, then a", parts("\x00", "a")),
        ("a then a NUL", parts("a", "\x00")),
        ("bytes and text mixed", parts({"bytes": "616263"}, "abc", 97)),
        ("é as a part", parts("\u00e9", "e\u0301")),
        ("an astral part", parts("\U0001f600", 1)),
        ("a hundred parts", parts(*range(100))),
        ("255 texts", parts(*["x"] * 255)),
        ("256 texts", parts(*["x"] * 256)),
        ("a long part then a short one", parts({"repeat": {"hex": "00ff", "bytes": 70000}}, "end")),
        ("tenant and order number", parts("tenant-42", "order", 9007199254740993)),
    ]
    why = "a part is framed by its kind and length, so no two lists are alike"
    for name, id_ in family:
        flags = ["fault-18", "fault-31"] if ":" in name else ["fault-31"]
        yield from each_secret(f"a list of {name}" if "list" not in name else name, why, id_, flags)
    framed = encode(id_value(parts("a", "bc")))
    yield from each_secret(
        "the framing of a list as plain bytes",
        "the domain byte sets it apart from the list itself",
        {"bytes": framed[:-1].hex()},
    )
    yield from each_secret(
        "the framing of a list and its domain byte as plain bytes",
        "a domain byte of its own follows",
        {"bytes": framed.hex()},
    )


def unicode():
    family = [
        ("composed é", "\u00e9", "NFC and NFD are two ids: nothing is normalised"),
        ("decomposed é", "e\u0301", "NFC and NFD are two ids: nothing is normalised"),
        ("the ångström sign", "\u212b", "its normal form is another text"),
        ("å composed", "\u00e5", "one of three ways to write the same letter"),
        ("the ligature ﬁ", "\ufb01", "compatibility forms stay as they are"),
        ("fi in two letters", "fi", "compatibility forms stay as they are"),
        ("an astral character", "\U0001f600", "four bytes in UTF-8, two units in UTF-16"),
        ("the last code point", "\U0010ffff", "four bytes in UTF-8"),
        ("the first astral code point", "\U00010000", "a surrogate pair in UTF-16"),
        ("the last of the basic plane", "\uffff", "a noncharacter is text"),
        ("the character before the surrogates", "\ud7ff", "three bytes in UTF-8"),
        ("the character after the surrogates", "\ue000", "three bytes in UTF-8"),
        ("U+FFFD itself", "\ufffd", "given by the caller it is a character like any other"),
        ("the byte order mark", "\ufeff", "it is not stripped"),
        ("a byte order mark before abc", "\ufeffabc", "it is not stripped"),
        ("one NUL", "\x00", "a NUL does not end a text"),
        ("two NULs", "\x00\x00", "a NUL does not end a text"),
        ("a NUL inside", "a\x00b", "a NUL does not end a text"),
        ("a NUL at the end", "a\x00", "a NUL does not end a text"),
        ("DEL", "\x7f", "the last one-byte character"),
        ("U+0080", "\x80", "the first two-byte character"),
        ("U+07FF", "\u07ff", "the last two-byte character"),
        ("U+0800", "\u0800", "the first three-byte character"),
        ("a space", " ", "nothing is trimmed"),
        ("a line feed", "\n", "nothing is trimmed"),
        ("CR LF", "\r\n", "line ends are not unified"),
        ("capital A", "A", "case is kept"),
        ("small a", "a", "case is kept"),
        ("the long s", "\u017f", "case folding would make it an s"),
        ("dotless i", "\u0131", "case rules differ by language"),
        ("a family of emoji", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "joiners are part of the text"),
        ("right to left", "\u202e\u05d0\u05d1", "marks of direction are part of the text"),
        ("Greek", "\u03b1\u03b2\u03b3", "two bytes each"),
        ("Chinese", "\u4e8b\u4ef6", "three bytes each"),
    ]
    for name, value, why in family:
        flags = ["fault-20", "fault-31"] if name.endswith("é") else ["fault-31"]
        yield from each_secret(f"the text of {name}", why, text(value), flags)
    for name, value in (("abc", "abc"), ("composed é", "\u00e9"), ("an astral character", "\U0001f600")):
        yield from each_secret(
            f"the UTF-8 bytes of {name}",
            "bytes and text of the same content are one id",
            {"bytes": value.encode().hex()},
        )
        yield from each_secret(
            f"the text that has those bytes, {name}", "bytes and text of the same content are one id", text(value)
        )
    yield from each_secret("bytes that are no UTF-8", "bytes are taken as they are", {"bytes": "ff00fec080"})
    yield from each_secret(
        "the bytes that a lone surrogate would have", "bytes are not judged as text", {"bytes": "eda080"}
    )


def secrets():
    ids = [("text", text("abc")), ("integer", integer(7)), ("list", parts("abc", 7))]
    default = []
    for kind, id_ in ids:
        one = case(
            f"the default secret is 16 zero bytes, {kind}",
            "an absent secret is portable, not random",
            id_,
            "zero",
            ["fault-31"],
        )
        del one["secret"]
        default.append(one)
    yield from default
    for bit in (0, 7, 63, 64, 127):
        secret = bytearray(16)
        secret[bit // 8] = 1 << bit % 8
        for kind, id_ in ids:
            found = fingerprint(id_value(id_), bytes(secret)).hex()
            yield {
                "name": f"bit {bit} of the secret counts, {kind}",
                "why": "both halves of the key are used whole",
                "flags": ["fault-31"],
                "id": id_,
                "secret": secret.hex(),
                "fingerprint": found,
            }
    for kind, id_ in ids:
        found = fingerprint(id_value(id_), b"\xff" * 16).hex()
        yield {
            "name": f"a secret of ones, {kind}",
            "why": "the greatest key",
            "flags": ["fault-31"],
            "id": id_,
            "secret": "ff" * 16,
            "fingerprint": found,
        }


def check_values():
    for name, secret in {**SECRETS, "all ones": "ff" * 16}.items():
        yield {
            "name": f"the check value, {name} secret",
            "why": "tells a wrong secret without keeping the secret",
            "flags": ["fault-31"],
            "secret": secret,
            "check_value": check_value(bytes.fromhex(secret)).hex(),
        }


FILES = {
    "lengths": (lengths, "Texts and bytes of every length that a word, a length byte or a buffer could get wrong."),
    "integers": (
        integers,
        "Integers at the edges of signs, doubles and words, and what they must not be confused with.",
    ),
    "composites": (composites, "Lists whose parts could run together if they were not framed."),
    "unicode": (unicode, "Texts that a normalising, trimming or NUL-ended text would get wrong."),
    "secrets": (secrets, "What the key does."),
}


def openssl(case_):
    """The fingerprint by OpenSSL's SipHash, over the same framing."""
    secret = case_.get("secret", "00" * 16)
    content = b"firstseen secret check\x04" if "check_value" in case_ else encode(id_value(case_["id"]))
    command = [
        "openssl",
        "mac",
        "-macopt",
        "size:16",
        "-macopt",
        "c-rounds:1",
        "-macopt",
        "d-rounds:3",
        "-macopt",
        f"hexkey:{secret}",
        "-in",
        "-",
        "SIPHASH",
    ]
    return subprocess.run(command, input=content, capture_output=True, check=True).stdout.decode().strip().lower()


def main(arguments):
    if arguments not in ([], ["--openssl"]):
        print(__doc__)
        return 2
    written = 0
    every = {name: ("fingerprint", about, list(made())) for name, (made, about) in FILES.items()}
    about = "The first 8 bytes of the fingerprint of a fixed text in a domain of its own: no public call yet."
    every["check-value"] = ("check_value", about, [{**one, "hosts": ["rust"]} for one in check_values()])
    for name, (kind, about, cases) in every.items():
        write(
            VECTORS / "2-fingerprint" / f"{name}.json",
            {"kind": kind, "stage": "2-fingerprint", "about": about, "count": len(cases), "cases": cases},
        )
        written += len(cases)
        for one in cases if arguments else []:
            expected = one.get("fingerprint") or one.get("check_value")
            if expected and not openssl(one).startswith(expected):
                print(f"{one['name']}: OpenSSL has another value")
                return 1
    print(f"{written} cases written" + (", all as OpenSSL has them" if arguments else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
