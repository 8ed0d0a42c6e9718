/**
 * What the native addon and the WASM module do for the facade: numbers and bytes in, one number out.
 *
 * Ids are given as the first `length` bytes of the input, in the form of `ids.ts`; only the two `firstSeen` take a text.
 * A window is a handle; 0 is none. `mode` and `ms` are a time: see `time.ts`.
 */
export interface Engine {
  /** 1 if the text is first, 0 if not; OTHERWISE if only the general way can read it. */
  firstSeen(handle: number, text: string, ms: number): number;
  firstSeenByClock(handle: number, text: string): number;

  /** A place for so many bytes at least; undefined if there is no memory for it. Good until the next call. */
  input(bytes: number): Uint8Array | undefined;
  /** The answers that a call left. Good until the next call. */
  answers(count: number): Float64Array;
  /** Gives back the memory of a large call. */
  release(): void;
  /** The last refusal: its code, a line break, its message. */
  error(): string;

  create(length: number): number;
  free(handle: number): void;
  /** The default clock; NO_READING if the window reads no clock. */
  reading(handle: number): number;
  wantsClock(handle: number): number;
  /** These answer with a verdict, as `verdict.ts` reads it; `atMs` is NaN if there is none. */
  observe(length: number, handle: number, mode: number, ms: number, atMs: number): number;
  check(length: number, handle: number, mode: number, ms: number): number;
  /** As `observe`; the body stands behind the id. */
  observeBody(length: number, handle: number, mode: number, ms: number, atMs: number): number;
  /** As `observe`, and leaves the token, NaN for none. */
  claim(length: number, handle: number, mode: number, ms: number, atMs: number, leaseMs: number): number;
  /** Answers with the number of ids, and leaves a verdict and a token each. */
  claimMany(length: number, handle: number, mode: number, ms: number, leaseMs: number): number;
  commit(handle: number, token: number, mode: number, ms: number): number;
  /** Of the tokens in the input; answers with their number, and leaves 1 for each, 0 if it is lost. */
  commitMany(length: number, handle: number, mode: number, ms: number): number;
  releaseClaim(handle: number, token: number): number;
  renew(handle: number, token: number, leaseMs: number, mode: number, ms: number): number;
  /** Answers with the number of ids, and leaves 1 for each that is first, else 0, at the beginning of the input. */
  firstSeenMany(length: number, handle: number, mode: number, ms: number): number;
  /** These leave answers, and answer with their number. */
  observeMany(length: number, handle: number, mode: number, ms: number): number;
  checkMany(length: number, handle: number, mode: number, ms: number): number;
  stats(handle: number, mode: number, ms: number): number;
  has(length: number, handle: number): number;
  forget(length: number, handle: number): number;
  size(handle: number): number;
  advance(handle: number, mode: number, ms: number): number;
  clear(handle: number): number;
  /** Puts the fingerprint at the beginning of the input; `secret` bytes stand before the id. */
  fingerprint(length: number, secret: number): number;
  /** Puts the fingerprint of a JSON text at the beginning of the input; `secret` bytes stand first: see `json.ts`. */
  fingerprintJson(length: number, secret: number): number;
  /** Refuses what is no id. */
  validate(length: number): number;

  /** Of sequences, which have handles of their own; `sequencesObserve` answers as `sequences.ts` reads it. */
  sequencesCreate(length: number): number;
  sequencesFree(handle: number): void;
  sequencesReading(handle: number): number;
  sequencesObserve(length: number, handle: number, mode: number, ms: number): number;
  sequencesForget(length: number, handle: number): number;
  sequencesSize(handle: number): number;
  sequencesStats(handle: number, mode: number, ms: number): number;

  /** Makes the text of the records in the input, in the form of `metrics.ts`; answers how many bytes it has. */
  openMetrics(length: number): number;
  /** Puts that text at the beginning of the input, which has room for it. */
  text(length: number): number;
  /** Leaves figures, and a text at the beginning of the input, of which this is the length: see `plan.ts`. */
  plan(length: number): number;
}

/** A call was refused; `error()` says why. */
export const FAILED = -1;

export const OTHERWISE = -2;

export const NO_READING = -2;
