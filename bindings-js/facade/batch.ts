/**
 * From several ids to the bytes that the engine reads: one after another as `ids.ts` writes them, or in one of these forms.
 *
 * - texts: `4, their number, their lengths, all their bytes`; number and lengths of 4 bytes
 * - integers: `5, 8 bytes each`, in this machine's order
 * - packed: `6, kind of the offsets, their number in 8 bytes, the offsets in this machine's order, the bytes`
 */

import { FirstSeenError, isArray, isRevoked, kindOf } from "./error";
import { LONG, bytesOf, copied, isUint8Array, roomFor, tagOf, write, write32 } from "./ids";

const TEXTS = 4;
const INTEGERS = 5;
const PACKED = 6;

/** In the order of their numbers. */
const OFFSETS = ["Int32Array", "Uint32Array", "BigInt64Array", "BigUint64Array"];

/** So many texts are joined at a time: what they come to should be garbage that costs little. */
const JOINED = 1024;

const encoder = new TextEncoder();

/** Gives a place for so many bytes at least. */
type Room = (bytes: number) => Uint8Array;

/** What was written: where it ends, and whether there is no id in it. */
export interface Written {
  readonly end: number;
  readonly none: boolean;
}

/** A batch with nothing in it that another could change. */
export interface Batch {
  readonly ids: readonly unknown[];
  /** The length of all together if they are nothing but short texts, else undefined. */
  readonly units: number | undefined;
}

export function batchOf(given: unknown): Batch {
  if (!isBatch(given)) throw invalidBatch("batch", given, "an iterable of ids, neither a text nor bytes");
  const ids: unknown[] = [];
  let units = 0;
  for (const id of given) {
    if (typeof id === "string" && id.length < LONG) {
      units += id.length;
      ids.push(id);
    } else {
      units = NaN;
      ids.push(copied(id));
    }
  }
  return { ids, units: Number.isNaN(units) ? undefined : units };
}

/** Whether a value is several ids: a text or bytes are one. */
function isBatch(value: unknown): value is Iterable<unknown> {
  if (isArray(value)) return true;
  if (typeof value !== "object" || value === null || isRevoked(value) || !(Symbol.iterator in value)) return false;
  return Object.prototype.toString.call(value) !== "[object String]" && bytesOf(value) === undefined;
}

/**
 * Writes a batch. The first that is no id gives the error, after `refused` was told where those before
 * it end: they may be empty ones, which the engine knows.
 */
export function writeBatch({ ids, units }: Batch, room: Room, refused: (end: number) => void): Written {
  if (units !== undefined && ids.length > 0) {
    const end = writeTexts(ids as readonly string[], room(textsStart(ids.length) + units));
    if (end > 0) return { end, none: false };
  }
  let bytes = 0;
  for (const id of ids) bytes += roomFor(id);
  const place = room(bytes);
  let end = 0;
  try {
    for (const id of ids) end = write(id, place, end);
  } catch (error) {
    refused(end);
    throw error;
  }
  return { end, none: end === 0 };
}

const textsStart = (count: number): number => 5 + 4 * count;

/** Writes nothing but ASCII texts, for which the encoder is called once in JOINED. Returns 0 if one of them is no such. */
function writeTexts(ids: readonly string[], to: Uint8Array): number {
  let end = textsStart(ids.length);
  for (let from = 0; from < ids.length; from += JOINED) {
    const all = ids.slice(from, from + JOINED).join("");
    const { read, written } = encoder.encodeInto(all, to.subarray(end));
    // What is not ASCII takes more bytes than units, or does not fit.
    if (read !== all.length || written !== all.length) return 0;
    end += written;
  }
  to[0] = TEXTS;
  write32(ids.length, to, 1);
  let at = 5;
  for (const id of ids) {
    write32(id.length, to, at);
    at += 4;
  }
  return end;
}

/** Writes a BigUint64Array. */
export function writeIntegers(ids: unknown, room: Room): Written {
  const bytes = tagOf(ids) === "BigUint64Array" ? bytesOf(ids as BigUint64Array) : undefined;
  if (bytes === undefined) throw invalidBatch("ids", ids, "a BigUint64Array");
  const place = room(1 + bytes.length);
  place[0] = INTEGERS;
  place.set(bytes, 1);
  return { end: 1 + bytes.length, none: bytes.length === 0 };
}

/** Writes packed ids. Whether the offsets lie in the bytes is for the engine to judge. */
export function writePacked(data: unknown, offsets: unknown, room: Room): Written {
  const bytes = isUint8Array(data) ? bytesOf(data) : undefined;
  if (bytes === undefined) throw invalidBatch("bytes", data, "a Uint8Array");
  const kind = OFFSETS.indexOf(tagOf(offsets) ?? "");
  const places = kind < 0 ? undefined : bytesOf(offsets as ArrayBufferView);
  if (places === undefined) throw invalidBatch("offsets", offsets, OFFSETS.join(", "));
  const count = places.length / (kind < 2 ? 4 : 8);
  const start = 10 + places.length;
  const to = room(start + bytes.length);
  to[0] = PACKED;
  to[1] = kind;
  write32(count % 2 ** 32, to, 2);
  write32(Math.floor(count / 2 ** 32), to, 6);
  to.set(places, 10);
  to.set(bytes, start);
  return { end: start + bytes.length, none: count === 1 };
}

function invalidBatch(name: string, value: unknown, accepted: string): FirstSeenError {
  const is = name === "batch" ? "is" : "are";
  return new FirstSeenError("invalid_id", `the ${name} ${is} ${tagOf(value) ?? kindOf(value)}; accepted: ${accepted}`);
}
