"""From an id to the bytes that are hashed, and to its fingerprint."""

import uuid

from .errors import OracleError
from .siphash import siphash128

BYTES, INTEGER, COMPOSITE, CHECK = b"\x01", b"\x02", b"\x03", b"\x04"
NO_SECRET = bytes(16)


def _scalar(value):
    """(domain, content) of an id that is no composite; emptiness is not judged here."""
    if isinstance(value, uuid.UUID):
        value = str(value)
    if isinstance(value, str):
        try:
            return BYTES, value.encode("utf-8")
        except UnicodeEncodeError:  # a lone surrogate
            raise OracleError("invalid_text") from None
    if isinstance(value, (bytes, bytearray, memoryview)):
        return BYTES, bytes(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64:
        return INTEGER, value.to_bytes(8, "little")
    raise OracleError("invalid_id")


def encode(value):
    """content ‖ domain: what identifies an event, no two ids alike."""
    if not isinstance(value, tuple):
        domain, content = _scalar(value)
        if not content:
            raise OracleError("empty_id")
        return content + domain
    parts = [_scalar(part) for part in value]  # a nested tuple is no scalar: invalid_id
    if not parts:
        raise OracleError("invalid_id")
    if not any(content for _, content in parts):
        raise OracleError("empty_id")
    framed = b""
    for domain, content in parts:
        length = len(content).to_bytes(8, "little") if domain == BYTES else b""
        framed += domain + length + content
    return framed + COMPOSITE


def _secret(secret):
    if not isinstance(secret, bytes) or len(secret) != 16:
        raise OracleError("invalid_config")
    return secret


def fingerprint(value, secret=NO_SECRET):
    encoded = encode(value)
    return siphash128(_secret(secret), encoded)


def check_value(secret):
    return siphash128(_secret(secret), b"firstseen secret check" + CHECK)[:8]
