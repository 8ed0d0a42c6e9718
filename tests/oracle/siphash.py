"""SipHash-c-d with 128-bit output (Aumasson and Bernstein, 2012; the wide output as in their reference code).

The rounds are parameters so that the published vectors of SipHash-2-4-128 can check the code.
"""

MASK = 0xFFFF_FFFF_FFFF_FFFF


def _rounds(v0, v1, v2, v3, count):
    for _ in range(count):
        v0 = (v0 + v1) & MASK
        v1 = ((v1 << 13) | (v1 >> 51)) & MASK
        v1 ^= v0
        v0 = ((v0 << 32) | (v0 >> 32)) & MASK
        v2 = (v2 + v3) & MASK
        v3 = ((v3 << 16) | (v3 >> 48)) & MASK
        v3 ^= v2
        v0 = (v0 + v3) & MASK
        v3 = ((v3 << 21) | (v3 >> 43)) & MASK
        v3 ^= v0
        v2 = (v2 + v1) & MASK
        v1 = ((v1 << 17) | (v1 >> 47)) & MASK
        v1 ^= v2
        v2 = ((v2 << 32) | (v2 >> 32)) & MASK
    return v0, v1, v2, v3


def siphash128(key, data, c=1, d=3):
    """16 bytes: the two output words, each little-endian."""
    k0 = int.from_bytes(key[:8], "little")
    k1 = int.from_bytes(key[8:16], "little")
    v0 = k0 ^ 0x736F6D6570736575
    v1 = k1 ^ 0x646F72616E646F6D ^ 0xEE  # 0xEE sets the 128-bit variant apart
    v2 = k0 ^ 0x6C7967656E657261
    v3 = k1 ^ 0x7465646279746573

    whole = len(data) - len(data) % 8
    for at in range(0, whole, 8):
        word = int.from_bytes(data[at : at + 8], "little")
        v3 ^= word
        v0, v1, v2, v3 = _rounds(v0, v1, v2, v3, c)
        v0 ^= word

    # The last word: what is left of the data, and the length in the top byte.
    word = int.from_bytes(data[whole:], "little") | ((len(data) & 0xFF) << 56)
    v3 ^= word
    v0, v1, v2, v3 = _rounds(v0, v1, v2, v3, c)
    v0 ^= word

    v2 ^= 0xEE
    v0, v1, v2, v3 = _rounds(v0, v1, v2, v3, d)
    low = v0 ^ v1 ^ v2 ^ v3
    v1 ^= 0xDD
    v0, v1, v2, v3 = _rounds(v0, v1, v2, v3, d)
    high = v0 ^ v1 ^ v2 ^ v3
    return low.to_bytes(8, "little") + high.to_bytes(8, "little")
