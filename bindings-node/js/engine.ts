import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "../../bindings-js/facade/index";

/** The addon's functions: those of an engine, but that they are given the input, and copy what they leave. */
type WithInput<F> = F extends (...rest: infer Rest) => infer R ? (input: Uint8Array, ...rest: Rest) => R : never;
type Taking =
  | "create"
  | "firstSeenMany"
  | "observe"
  | "observeBody"
  | "claim"
  | "claimMany"
  | "commitMany"
  | "observeMany"
  | "check"
  | "checkMany"
  | "has"
  | "forget"
  | "fingerprint"
  | "fingerprintJson"
  | "validate"
  | "sequencesCreate"
  | "sequencesObserve"
  | "sequencesForget"
  | "openMetrics"
  | "text"
  | "plan";
type Addon = Omit<Engine, Taking | "firstSeen" | "firstSeenByClock" | "input" | "answers" | "release" | "error"> & {
  readonly [Name in Taking]: WithInput<Engine[Name]>;
} & {
  /** Where the two `firstSeen` find the handle and the time, and leave the answer. */
  readonly cells: ArrayBuffer;
  firstSeen(text: string): void;
  firstSeenByClock(text: string): void;
  answers(to: Float64Array): number;
  error(to: Uint8Array): number;
};

/** The names of this machine's addon, as far as Node tells them apart without a look at the C library. */
function names(): string[] {
  const machine = `${process.platform}-${process.arch}`;
  const libraries: Partial<Record<string, string[]>> = { linux: ["-gnu", "-musl"], win32: ["-msvc"] };
  return (libraries[process.platform] ?? [""]).map((library) => `firstseen.${machine}${library}.node`);
}

function addon(): Addon {
  let cause: unknown;
  for (const name of names()) {
    const path = join(__dirname, "..", name);
    if (!existsSync(path)) continue;
    try {
      return require(path) as Addon;
    } catch (error) {
      cause = error;
    }
  }
  const advice = "install firstseen-wasm instead, which has the same interface";
  throw new Error(`firstseen has no addon that runs here (${names().join(" or ")}): ${advice}`, { cause });
}

/** What is kept of the input between calls. */
const KEPT = 64 * 1024;

export function nativeEngine(): Engine {
  const native = addon();
  // The addon's exports are a hash table, in which the two that must be fast should not be looked up at each call.
  const { firstSeen, firstSeenByClock } = native;
  const cells = new Float64Array(native.cells);
  const kept = new Uint8Array(KEPT);
  const decoder = new TextDecoder();
  let input = kept;
  return {
    ...native,
    firstSeen(handle, text, ms) {
      cells[0] = handle;
      cells[1] = ms;
      firstSeen(text);
      return cells[2]!;
    },
    firstSeenByClock(handle, text) {
      cells[0] = handle;
      firstSeenByClock(text);
      return cells[2]!;
    },
    input(bytes) {
      if (bytes <= input.length) return input;
      try {
        input = new Uint8Array(bytes);
      } catch {
        return undefined;
      }
      return input;
    },
    release: () => void (input = kept),
    answers(count) {
      const answers = new Float64Array(count);
      native.answers(answers);
      return answers;
    },
    error: () => decoder.decode(kept.subarray(0, native.error(kept))),
    create: (length) => native.create(input, length),
    observe: (length, handle, mode, ms, atMs) => native.observe(input, length, handle, mode, ms, atMs),
    observeBody: (length, handle, mode, ms, atMs) => native.observeBody(input, length, handle, mode, ms, atMs),
    claim: (length, handle, mode, ms, atMs, leaseMs) => native.claim(input, length, handle, mode, ms, atMs, leaseMs),
    claimMany: (length, handle, mode, ms, leaseMs) => native.claimMany(input, length, handle, mode, ms, leaseMs),
    commitMany: (length, handle, mode, ms) => native.commitMany(input, length, handle, mode, ms),
    firstSeenMany: (length, handle, mode, ms) => native.firstSeenMany(input, length, handle, mode, ms),
    observeMany: (length, handle, mode, ms) => native.observeMany(input, length, handle, mode, ms),
    check: (length, handle, mode, ms) => native.check(input, length, handle, mode, ms),
    checkMany: (length, handle, mode, ms) => native.checkMany(input, length, handle, mode, ms),
    has: (length, handle) => native.has(input, length, handle),
    forget: (length, handle) => native.forget(input, length, handle),
    fingerprint: (length, secret) => native.fingerprint(input, length, secret),
    fingerprintJson: (length, secret) => native.fingerprintJson(input, length, secret),
    validate: (length) => native.validate(input, length),
    sequencesCreate: (length) => native.sequencesCreate(input, length),
    sequencesObserve: (length, handle, mode, ms) => native.sequencesObserve(input, length, handle, mode, ms),
    sequencesForget: (length, handle) => native.sequencesForget(input, length, handle),
    openMetrics: (length) => native.openMetrics(input, length),
    text: (length) => native.text(input, length),
    plan: (length) => native.plan(input, length),
  };
}
