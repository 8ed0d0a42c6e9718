import type * as Public from "../firstseen";
import { FirstSeenError, invalidConfig, invalidNumber, invalidTime, kindOf } from "./error";
import { named } from "./options";

/** What a claim needs of its window. */
export interface Owner {
  commit(token: unknown, nowMs?: unknown): void;
  release(token: unknown): void;
  renew(token: unknown, leaseMs: unknown, nowMs?: unknown): void;
}

export class InFlight extends Error implements Public.InFlight {
  readonly verdict: Public.Verdict;
  readonly leaseLeftMs: number;

  constructor(verdict: Public.Verdict) {
    super(`the event is in flight, for ${verdict.leaseLeftMs} ms at most`);
    this.name = "InFlight";
    this.verdict = verdict;
    this.leaseLeftMs = verdict.leaseLeftMs ?? 0;
  }
}

/** Token 0 is never given: whatever it is asked for is lost. */
const NONE = 0;

/** Older engines have no such symbol; then there is no `using` either. */
const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? (Symbol.for("firstseen.dispose") as typeof Symbol.dispose);

export class Claim implements Public.Claim {
  readonly first: boolean;
  readonly verdict: Public.Verdict;
  readonly token: number | null;
  readonly #owner: Owner;
  #open: boolean;

  constructor(owner: Owner, verdict: Public.Verdict, token: number) {
    this.first = verdict.first;
    this.verdict = verdict;
    this.token = verdict.first ? token : null;
    this.#owner = owner;
    this.#open = verdict.first;
    Object.freeze(this);
  }

  commit(nowMs?: unknown): void {
    this.#owner.commit(this.token ?? NONE, nowMs);
    this.#open = false;
  }

  release(): void {
    this.#owner.release(this.token ?? NONE);
    this.#open = false;
  }

  renew(leaseMs: unknown, nowMs?: unknown): void {
    this.#owner.renew(this.token ?? NONE, leaseMs, nowMs);
  }

  [DISPOSE](): void {
    if (!this.#open) return;
    this.#open = false;
    // What was lost meanwhile, and a window that was freed, have nothing to release.
    ignoring(() => this.#owner.release(this.token ?? NONE));
  }
}

function ignoring(call: () => void): boolean {
  try {
    call();
    return true;
  } catch (error) {
    if (error instanceof FirstSeenError) return false;
    throw error;
  }
}

/** A token that is a number; else an error to throw in its turn. */
export function tokenOf(value: unknown): number {
  if (typeof value !== "number") throw invalidNumber("token", kindOf(value));
  return value;
}

export function leaseOf(value: unknown): number {
  if (typeof value !== "number") throw invalidTime("leaseMs", value);
  return value;
}

/** Writes the tokens into the input, 8 bytes each; returns how many bytes. */
export function writeTokens(tokens: unknown, room: (bytes: number) => Uint8Array): number {
  if (!Array.isArray(tokens)) throw invalidNumber("tokens", kindOf(tokens));
  const numbers = tokens.map(tokenOf);
  const place = room(8 * numbers.length);
  const view = new DataView(place.buffer, place.byteOffset);
  numbers.forEach((token, index) => view.setFloat64(8 * index, token, true));
  return 8 * numbers.length;
}

/** The claims that the engine left: a verdict and a token each. */
export function claimsOf(owner: Owner, answers: Float64Array, verdictOf: (answer: number) => Public.Verdict): Claim[] {
  const claims: Claim[] = [];
  for (let index = 0; index < answers.length; index += 2) {
    claims.push(new Claim(owner, verdictOf(answers[index]!), answers[index + 1]!));
  }
  return claims;
}


type Claiming = (options: { leaseMs: unknown }) => Claim;

/** The longest that a timer can wait. */
const LONGEST = 2 ** 31 - 1;

/** How often to look whether what is in flight is done. */
const POLL_MS = 50;

/** Claims, runs the function while the lease is renewed, and commits or releases. */
export async function once(claiming: Claiming, run: unknown, options: unknown): Promise<unknown> {
  const values = named(options, ["leaseMs", "waitMs", "signal"]);
  if (values instanceof FirstSeenError) throw values;
  if (typeof run !== "function") throw invalidConfig("fn", run, "a function");
  const leaseMs = leaseOf(values.leaseMs);
  const waitMs = values.waitMs ?? 0;
  if (typeof waitMs !== "number" || !(waitMs >= 0)) throw invalidTime("waitMs", waitMs);
  const signal = values.signal as AbortSignal | undefined;
  signal?.throwIfAborted();
  const end = performanceNow() + waitMs;
  let claim = claiming({ leaseMs });
  while (claim.verdict.kind === "in_flight") {
    const left = end - performanceNow();
    if (left <= 0) throw new InFlight(claim.verdict);
    await pause(Math.max(1, Math.min(claim.verdict.leaseLeftMs ?? 0, left, POLL_MS)), signal);
    claim = claiming({ leaseMs });
  }
  if (!claim.first) return { first: false, verdict: claim.verdict, value: undefined };
  const stop = renewing(claim, leaseMs);
  const abort = aborted(signal);
  try {
    const value: unknown = await Promise.race([(run as (claim: Claim) => unknown)(claim), abort.promise]);
    stop();
    claim.commit();
    return { first: true, verdict: claim.verdict, value };
  } finally {
    stop();
    abort.stop();
    claim[DISPOSE]();
  }
}

const performanceNow = (): number => (typeof performance === "undefined" ? Date.now() : performance.now());

/** Renews at half the lease's life, until it is stopped or lost: then the commit says so. */
function renewing(claim: Claim, leaseMs: number): () => void {
  let timer: unknown;
  const wait = (): void => {
    timer = setTimeout(() => {
      if (ignoring(() => claim.renew(leaseMs))) wait();
    }, Math.min(leaseMs / 2, LONGEST));
    // A process that has nothing else to do may end.
    (timer as { unref?: () => void }).unref?.();
  };
  wait();
  return () => clearTimeout(timer as ReturnType<typeof setTimeout>);
}

function aborted(signal: AbortSignal | undefined): { promise: Promise<never>; stop: () => void } {
  let stop = (): void => undefined;
  const promise = new Promise<never>((_, reject) => {
    if (signal === undefined) return;
    const listen = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", listen, { once: true });
    stop = () => signal.removeEventListener("abort", listen);
  });
  return { promise, stop };
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const abort = aborted(signal);
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await Promise.race([new Promise<void>((resolve) => void (timer = setTimeout(resolve, ms))), abort.promise]);
  } finally {
    clearTimeout(timer);
    abort.stop();
  }
}
