/**
 * From an id to the bytes that the engine reads: `1, length, bytes`, `2, integer`, or `3, number of parts, parts`; lengths
 * of 4 bytes, integers of 8, little-endian.
 *
 * In two steps. `copied` may run foreign code (an iterator, a proxy, a getter); what it gives is ours, so that `write` runs
 * none and nobody can call in while the input is half written.
 */

import { FirstSeenError, isArray, kindOf } from "./error";

const BYTES = 1;
const INTEGER = 2;
const COMPOSITE = 3;

/** What a tag and a length, or a tag and an integer, take. */
const HEAD = 9;

/** From this length on, a text is encoded before room is made for it: three bytes per unit would be too much. */
export const LONG = 4096;

const encoder = new TextEncoder();
const LONE_SURROGATE = /\p{Surrogate}/u;

const MAX = (1n << 64n) - 1n;

/** The getter of a prototype: unlike a property, nobody can have put another in its place. */
function getter<T>(prototype: object, name: PropertyKey): (of: unknown) => T {
  const get = Object.getOwnPropertyDescriptor(prototype, name)!.get!;
  return (of) => get.call(of) as T;
}

const arrayOf = Object.getPrototypeOf(Uint8Array.prototype) as object;
/** The name of a typed array's class; undefined for anything else. */
export const tagOf = getter<string | undefined>(arrayOf, Symbol.toStringTag);
const PLACES = [arrayOf, DataView.prototype].map((prototype) => ({
  buffer: getter<ArrayBufferLike>(prototype, "buffer"),
  offset: getter<number>(prototype, "byteOffset"),
  length: getter<number>(prototype, "byteLength"),
}));
const [ARRAY, DATA_VIEW] = PLACES as [(typeof PLACES)[0], (typeof PLACES)[0]];

const bufferLength = getter<number>(ArrayBuffer.prototype, "byteLength");
const sharedLength =
  typeof SharedArrayBuffer === "undefined" ? undefined : getter<number>(SharedArrayBuffer.prototype, "byteLength");

function lengthBy(read: ((of: unknown) => number) | undefined, value: unknown): number | undefined {
  try {
    return read?.(value);
  } catch {
    return undefined;
  }
}

/** The bytes of a view or a buffer; undefined for anything else. Throws if they are gone. */
export function bytesOf(value: object): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) {
    try {
      const place = tagOf(value) === undefined ? DATA_VIEW : ARRAY;
      const bytes = new Uint8Array(place.buffer(value), place.offset(value), place.length(value));
      // A view that is out of its buffer's bounds has the length 0; this tells it from one that is just empty.
      if (bytes.length === 0 && place === ARRAY) Uint8Array.prototype.keys.call(value as Uint8Array);
      return bytes;
    } catch {
      throw invalidId("a view of a detached buffer");
    }
  }
  const length = lengthBy(bufferLength, value) ?? lengthBy(sharedLength, value);
  if (length === undefined) return undefined;
  try {
    return new Uint8Array(value as ArrayBuffer, 0, length);
  } catch {
    throw invalidId("a detached buffer");
  }
}

/** Not `instanceof`, which other realms' arrays fail. */
export const isUint8Array = (value: unknown): value is Uint8Array => tagOf(value) === "Uint8Array";

/** The id with nothing in it that another could change. What is no id is left to `write`. */
export function copied(id: unknown): unknown {
  if (typeof id === "string") return id.length < LONG ? id : encoded(id);
  if (typeof id !== "object" || id === null) return id;
  if (isArray(id)) return Array.from(id, copiedPart);
  return copiedPart(id);
}

/** As `copied`, for an id that is written before anything else happens: its bytes are read where they are. */
export function borrowed(id: unknown): unknown {
  if (typeof id !== "object" || id === null || isArray(id)) return copied(id);
  return bytesOf(id) ?? id;
}

function copiedPart(part: unknown): unknown {
  if (typeof part === "string") return part.length < LONG ? part : encoded(part);
  if (typeof part !== "object" || part === null) return part;
  try {
    return bytesOf(part)?.slice() ?? (isArray(part) ? NESTED : part);
  } catch (error) {
    if (error instanceof FirstSeenError) return new Refused(error);
    throw error;
  }
}

/** An error for `write` to throw, in its turn. Told by its brand: `instanceof` asks a proxy, which is foreign code. */
class Refused {
  readonly #error: FirstSeenError;

  constructor(error: FirstSeenError) {
    this.#error = error;
  }

  static check(part: unknown): void {
    if (typeof part === "object" && part !== null && #error in part) throw part.#error;
  }
}

const NESTED = Symbol("a nested list");

function encoded(text: string): unknown {
  try {
    return utf8(text);
  } catch (error) {
    return new Refused(error as FirstSeenError);
  }
}

/** The bytes of a text that has some. */
export function utf8(text: string, what?: string): Uint8Array {
  const bytes = encoder.encode(text);
  if (bytes.length !== text.length && LONE_SURROGATE.test(text)) throw invalidText(text, what);
  return bytes;
}

/** A copy of a body's bytes; undefined for what is neither a text nor bytes. */
export function bodyOf(body: unknown): Uint8Array | undefined {
  if (typeof body !== "string") return typeof body === "object" && body !== null ? bytesOf(body)?.slice() : undefined;
  return utf8(body, "the body is");
}

/** Room enough for a copied id. */
export function roomFor(id: unknown): number {
  if (typeof id === "string") return HEAD + 3 * id.length;
  if (ArrayBuffer.isView(id)) return HEAD + id.byteLength;
  if (!isArray(id)) return HEAD;
  let room = HEAD;
  for (const part of id) room += roomFor(part);
  return room;
}

/** Writes a copied id to `at` and returns where it ends. Throws if it is no id. */
export function write(id: unknown, to: Uint8Array, at: number): number {
  if (typeof id === "string") return writeText(id, to, at);
  if (!isArray(id)) return writePart(id, to, at);
  to[at] = COMPOSITE;
  write32(id.length, to, at + 1);
  let end = at + 5;
  for (const part of id) end = writePart(part, to, end);
  return end;
}

function writePart(part: unknown, to: Uint8Array, at: number): number {
  if (typeof part === "string") return writeText(part, to, at);
  if (ArrayBuffer.isView(part)) {
    to.set(part as Uint8Array, at + 5);
    return writeHead(part.byteLength, to, at);
  }
  if (typeof part === "number") {
    if (!Number.isSafeInteger(part)) throw invalidId("a number that is no safe integer");
    if (part < 0) throw invalidId("a negative integer");
    return writeInteger(part % 2 ** 32, Math.floor(part / 2 ** 32), to, at);
  }
  if (typeof part === "bigint") {
    if (part < 0n) throw invalidId("a negative integer");
    if (part > MAX) throw invalidId("an integer above 2^64-1");
    return writeInteger(Number(part & 0xffff_ffffn), Number(part >> 32n), to, at);
  }
  Refused.check(part);
  throw invalidId(part === NESTED ? "a nested list" : kindOf(part));
}

function writeText(text: string, to: Uint8Array, at: number): number {
  const { length } = text;
  const start = at + 5;
  // Short texts are mostly ASCII, and looping over them costs less than making a view for the encoder.
  let index = 0;
  while (index < length && index < 32) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) break;
    to[start + index] = unit;
    index += 1;
  }
  if (index === length) return writeHead(length, to, at);
  const { written } = encoder.encodeInto(text, to.subarray(start));
  if (written !== length && LONE_SURROGATE.test(text)) throw invalidText(text);
  return writeHead(written, to, at);
}

function writeHead(length: number, to: Uint8Array, at: number): number {
  to[at] = BYTES;
  write32(length, to, at + 1);
  return at + 5 + length;
}

function writeInteger(low: number, high: number, to: Uint8Array, at: number): number {
  to[at] = INTEGER;
  write32(low, to, at + 1);
  write32(high, to, at + 5);
  return at + HEAD;
}

export function write32(value: number, to: Uint8Array, at: number): void {
  to[at] = value;
  to[at + 1] = value >>> 8;
  to[at + 2] = value >>> 16;
  to[at + 3] = value >>> 24;
}

export function invalidId(found: string): FirstSeenError {
  const accepted = "a text, bytes, an integer from 0 to 2^64-1, or a non-empty flat array of these";
  return new FirstSeenError("invalid_id", `the id is ${found}; accepted: ${accepted}`);
}

function invalidText(text: string, what = "the id has"): FirstSeenError {
  const found = `${what} a text of ${text.length} UTF-16 units with a lone surrogate`;
  return new FirstSeenError("invalid_text", `${found}; accepted: well-formed text`);
}
