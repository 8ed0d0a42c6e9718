/** From an options object to the bytes that the engine reads: eleven numbers of 8 bytes, then the secret and the policy. */

import { FirstSeenError, invalidConfig, invalidTime, isRevoked, kindOf } from "./error";
import { isUint8Array } from "./ids";

type Values = Record<string, unknown>;

/**
 * The named options that are given. An option of another name is misspelt: refused, never ignored; so is what is no plain
 * object of options, such as a Date.
 */
export function named(options: unknown, names: readonly string[]): Values | FirstSeenError {
  const values: Values = {};
  if (options === undefined) return values;
  if (!isPlain(options)) {
    return new FirstSeenError("invalid_config", `the options are ${kindOf(options)}; accepted: an object`);
  }
  for (const name of Reflect.ownKeys(options)) {
    if (!names.includes(name as string) && Object.prototype.propertyIsEnumerable.call(options, name)) {
      return new FirstSeenError("invalid_config", `\`${String(name)}\` is no option; accepted: ${names.join(", ")}`);
    }
  }
  for (const name of names) {
    const value = options[name];
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/** Judged by its tag where it is not simply `{}`: another realm's object and an instance of a class will do. */
function isPlain(options: unknown): options is Values {
  if (typeof options !== "object" || options === null || isRevoked(options)) return false;
  return Object.getPrototypeOf(options) === Object.prototype || Object.prototype.toString.call(options) === "[object Object]";
}

const COMMON = ["onFull", "secret", "clock", "maxStepMs", "maxLatenessMs"];
const EXACT = ["maxIds", "detectConflicts", ...COMMON];
const LOAD = ["expectedIds", "falseDropRate"];

/** What each way of making a window takes, and what it needs. */
const WAYS = {
  exact: { names: ["windowMs", "bucketMs", ...EXACT], needs: ["windowMs"], memory: 0 },
  fromBuckets: { names: ["bucketMs", "buckets", ...EXACT], needs: ["bucketMs", "buckets"], memory: 0 },
  bloom: { names: ["windowMs", "bucketMs", ...LOAD, ...COMMON], needs: ["windowMs", ...LOAD], memory: 1 << 10 },
  cuckoo: { names: ["windowMs", "bucketMs", ...LOAD, ...COMMON], needs: ["windowMs", ...LOAD], memory: 1 << 11 },
} as const;

/** In the order in which they are written. */
const NUMBERS = ["windowMs", "bucketMs", "buckets", "maxIds", "maxStepMs", "maxLatenessMs", "", "", "expectedIds", "falseDropRate"];
const SECRET = 6;
const POLICY = 7;
const CONFLICTS = 12;

export interface Plan {
  readonly bytes: Uint8Array;
  readonly clock: (() => unknown) | undefined;
}

export function plan(way: keyof typeof WAYS, options: unknown): Plan {
  const { names, needs, memory } = WAYS[way];
  const values = named(options, names);
  if (values instanceof FirstSeenError) throw values;
  for (const name of needs) {
    if (values[name] === undefined) throw invalidConfig(name, undefined, "a number; it must be given");
  }
  const numbers = new Float64Array(11);
  let given: number = memory;
  NUMBERS.forEach((name, bit) => {
    const value = values[name];
    if (value === undefined) return;
    if (typeof value !== "number") throw name.endsWith("Ms") ? invalidTime(name, value) : invalidConfig(name, value, "a number");
    numbers[bit + 1] = value;
    given |= 1 << bit;
  });
  const { clock, detectConflicts, onFull, secret } = values;
  if (onFull !== undefined) {
    if (typeof onFull !== "string") throw invalidConfig("onFull", onFull, "`evict_oldest`, `reject` or `degrade`, as the memory allows");
    given |= 1 << POLICY;
  }
  if (detectConflicts !== undefined && typeof detectConflicts !== "boolean") {
    throw invalidConfig("detectConflicts", detectConflicts, "true or false");
  }
  if (detectConflicts) given |= 1 << CONFLICTS;
  const key = secretOf(secret);
  if (key) {
    numbers[SECRET + 1] = key.length;
    given |= 1 << SECRET;
  }
  if (clock !== undefined && typeof clock !== "function") throw invalidConfig("clock", clock, "a function");
  numbers[0] = given;
  return { bytes: joined(numbers, key, onFull), clock: clock as (() => unknown) | undefined };
}

/** A copy of the secret's bytes. */
export function secretOf(secret: unknown): Uint8Array | undefined {
  if (secret === undefined) return undefined;
  const length = isUint8Array(secret) ? secret.length : undefined;
  if (length !== 16) throw invalidConfig("secret", length ?? secret, "a Uint8Array of 16 bytes");
  return new Uint8Array(secret as Uint8Array);
}

function joined(numbers: Float64Array, secret: Uint8Array | undefined, policy: string | undefined): Uint8Array {
  const key = secret ?? new Uint8Array();
  const name = new TextEncoder().encode(policy ?? "");
  const bytes = new Uint8Array(8 * numbers.length + key.length + name.length);
  const view = new DataView(bytes.buffer);
  numbers.forEach((number, index) => view.setFloat64(8 * index, number, true));
  bytes.set(key, 8 * numbers.length);
  bytes.set(name, 8 * numbers.length + key.length);
  return bytes;
}
