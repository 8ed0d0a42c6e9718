import { type Engine, FAILED } from "./engine";
import { FirstSeenError, invalidConfig, isArray, kindOf, outOfMemory, refusal } from "./error";
import { bodyOf, utf8, write32 } from "./ids";
import { named, secretOf } from "./options";

/** Calls with more input than this give their memory back. */
const LARGE = 64 * 1024;

const NONE = 0xffff_ffff;

type List = readonly Uint8Array[] | undefined;

/** The function `fingerprintJson` over an engine. */
export function fingerprintJsonOver(engine: Engine): (text: unknown, options?: unknown) => Uint8Array {
  /** The engine reads the secret, the two lists (the number of texts, then each behind its length), and the text. */
  function print(text: Uint8Array, lists: readonly List[], secret?: Uint8Array): Uint8Array {
    const parts: Uint8Array[] = secret ? [secret] : [];
    for (const list of lists) {
      parts.push(number(list?.length ?? NONE));
      for (const pointer of list ?? []) parts.push(number(pointer.length), pointer);
    }
    parts.push(text);
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const place = engine.input(length);
    if (place === undefined) throw outOfMemory();
    let at = 0;
    for (const part of parts) {
      place.set(part, at);
      at += part.length;
    }
    const refused = engine.fingerprintJson(length, secret?.length ?? 0) === FAILED ? refusal(engine.error()) : undefined;
    const head = engine.input(16)!;
    const result = head.slice(0, 16);
    head.fill(0, 0, 16);
    if (length > LARGE) engine.release();
    if (refused) throw refused;
    return result;
  }

  return (text, options) => {
    const bytes = textOf(text);
    let lists: List[] = [undefined, undefined];
    let secret: Uint8Array | undefined;
    try {
      const values = named(options, ["ignore", "only", "secret"]);
      if (values instanceof FirstSeenError) throw values;
      lists = [listOf("ignore", values.ignore), listOf("only", values.only)];
      secret = secretOf(values.secret);
    } catch (error) {
      // What stands before it is judged before it.
      print(bytes, lists);
      throw error;
    }
    return print(bytes, lists, secret);
  };
}

function number(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  write32(value, bytes, 0);
  return bytes;
}

function textOf(text: unknown): Uint8Array {
  const bytes = bodyOf(text);
  if (bytes) return bytes;
  throw new FirstSeenError("invalid_json", `the JSON text is ${kindOf(text)}; accepted: a text, or bytes in UTF-8`);
}

function listOf(name: string, list: unknown): List {
  if (list === undefined) return undefined;
  if (!isArray(list)) throw invalidConfig(name, list, "an array of JSON Pointers");
  return Array.from(list, (pointer) => {
    if (typeof pointer !== "string") throw invalidConfig(name, pointer, "an array of JSON Pointers");
    try {
      return utf8(pointer);
    } catch {
      throw invalidConfig(name, pointer, "an array of JSON Pointers in well-formed text");
    }
  });
}
