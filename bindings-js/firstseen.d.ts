/// <reference lib="esnext.disposable" />

/** An id as one part of a composite: a text, bytes, or an integer. */
export type IdPart = string | ArrayBufferView | ArrayBufferLike | bigint | number;

/**
 * What identifies an event.
 *
 * - A text is its UTF-8 bytes, without Unicode normalisation. A lone surrogate is `invalid_text`.
 * - A view, an `ArrayBuffer` or a `SharedArrayBuffer` is its bytes, read once. `"abc"` and its bytes are one id.
 * - An integer is a bigint from 0 to 2^64-1 or a number that is a safe integer of at least 0. `7`, `7n` are one id, `"7"` another.
 * - An array is a composite of these: `["a", "bc"]` is neither `["ab", "c"]` nor `"abc"`. Neither nested nor empty.
 *
 * Nothing but empty text and bytes is `empty_id`; anything else is `invalid_id`.
 */
export type Id = IdPart | readonly IdPart[];

/** The options of every window. An option that is `undefined` is not given; `null` is refused. */
export interface WindowOptions {
  /** The 16-byte key of the fingerprints. Give a random one where ids come from strangers; default: 16 zero bytes, portable but not secret. */
  readonly secret?: Uint8Array | undefined;
  /**
   * Milliseconds, in place of the default clock, for calls without `nowMs`. If it throws, the call throws the same and
   * changes nothing.
   *
   * The default clock is Unix time when the window was made, advanced by a monotonic clock, and never goes back. A suspend of
   * the machine counts. The native package on Linux does not look at the wall clock again. Everywhere else, in `firstseen-wasm`
   * always, a suspend is told by the wall clock's lead: so a wall clock that is set forward by more than a bucket counts like
   * one, and ages the ids. One that is set back changes nothing.
   */
  readonly clock?: (() => number) | undefined;
  /** A `nowMs` more than this ahead of the latest time told is refused with `clock_step`. */
  readonly maxStepMs?: number | undefined;
  /** An event whose own time, `atMs`, is more than this behind the latest time told is `late`. 0 is allowed. */
  readonly maxLatenessMs?: number | undefined;
}

/** The options of windows that remember exactly. */
export interface ExactMemoryOptions extends WindowOptions {
  /** At most this many ids are held, 1 to 2^53-1; unbounded if not given. */
  readonly maxIds?: number | undefined;
  /** What happens to a new id then: the oldest are forgotten before their time (the default), or the call is refused with `full`. */
  readonly onFull?: "evict_oldest" | "reject" | undefined;
  /** Whether `observe(id, { body })` tells the same id with another body; 19 to 39 bytes more for each id that has one. */
  readonly detectConflicts?: boolean | undefined;
}

/** The options of filters: none has a default, since they say what is lost. */
export interface FilterOptions extends WindowOptions {
  /** How long an id is remembered, at least. */
  readonly windowMs: number;
  /** The granularity of forgetting; ceil(windowMs / 63) in a Bloom filter and ceil(windowMs / 60) in a cuckoo filter if not given. */
  readonly bucketMs?: number | undefined;
  /** Distinct ids that come in one window. */
  readonly expectedIds: number;
  /** The chance that a new id is called a probable duplicate, and so lost, at that load: 1e-6 (cuckoo: 1e-10) to 0.5. */
  readonly falseDropRate: number;
}

export interface BloomOptions extends FilterOptions {
  /** What happens when more ids come: more are lost (the default), or the call is refused with `full`. */
  readonly onFull?: "degrade" | "reject" | undefined;
}

export interface CuckooOptions extends FilterOptions {
  /** What happens when more ids come: the call is refused with `full` (the default), or the oldest are forgotten before their time. */
  readonly onFull?: "reject" | "evict_oldest" | undefined;
}

export interface ExactOptions extends ExactMemoryOptions {
  /** How long an id is remembered: at least this, at most N buckets, where N = ceil(windowMs / bucketMs) + 1. */
  readonly windowMs: number;
  /** The granularity of forgetting; ceil(windowMs / 60) if not given. */
  readonly bucketMs?: number | undefined;
}

export interface BucketsOptions extends ExactMemoryOptions {
  /** The width of a bucket. */
  readonly bucketMs: number;
  /** How many buckets there are, 2 to 250: an id is remembered for more than (buckets - 1) * bucketMs, at most buckets * bucketMs. */
  readonly buckets: number;
}

export interface ObserveOptions {
  /** The time of this call in ms; see `Window`. Give it in every call or in none. */
  readonly nowMs?: number | undefined;
  /** The event's own time in ms; ignored without `maxLatenessMs`. */
  readonly atMs?: number | undefined;
  /** The event's body, in a window with `detectConflicts`: a text or bytes. */
  readonly body?: string | ArrayBufferView | ArrayBufferLike | undefined;
}

export interface ClaimOptions {
  /** How long the claim holds on window time, if it is neither committed nor released; more than 0. */
  readonly leaseMs: number;
  /** The time of this call in ms; see `Window`. Give it in every call or in none. */
  readonly nowMs?: number | undefined;
  /** The event's own time in ms; ignored without `maxLatenessMs`. */
  readonly atMs?: number | undefined;
}

export interface OnceOptions {
  /** The lease, which is renewed at half its life while the function runs. */
  readonly leaseMs: number;
  /** How long to wait for an event in flight before `InFlight` is thrown; 0 if not given, `Infinity` for as long as it takes. */
  readonly waitMs?: number | undefined;
  /** When it is aborted, the claim is released and the promise rejected. The function should heed it too. */
  readonly signal?: AbortSignal | undefined;
}

/** What `once` did. */
export type Once<T> =
  | { readonly first: true; readonly verdict: Verdict; readonly value: T }
  | { readonly first: false; readonly verdict: Verdict; readonly value: undefined };

export type VerdictKind = "first" | "duplicate" | "probable_duplicate" | "conflict" | "in_flight" | "late";

/** What to do with an event. Frozen. */
export interface Verdict {
  /**
   * `late`: older than what the window can vouch for; not recorded. `probable_duplicate`: a filter takes it for one seen before.
   * `in_flight`: claimed by another, whose lease runs. `conflict`: seen before with another body.
   */
  readonly kind: VerdictKind;
  /** Whether to process it. */
  readonly first: boolean;
  /** Whether to acknowledge it without processing it. */
  readonly acknowledge: boolean;
  /** How long ago a duplicate, or what an event conflicts with, was first seen, to the bucket; null for the other kinds. */
  readonly ageMs: number | null;
  /** How long the lease runs still of what is in flight; null for the other kinds. */
  readonly leaseLeftMs: number | null;
}

/** What a window says of an event that you want to process. Frozen. */
export interface Claim {
  /** Whether to process it, and then to commit. */
  readonly first: boolean;
  /** As `observe` would have said. */
  readonly verdict: Verdict;
  /** The claim's name, which grows from claim to claim: a fencing token. Null if it is not first. */
  readonly token: number | null;
  /** The effect is done: remembers the id. Throws `lease_lost`, also for a claim that is not first. */
  commit(nowMs?: number): void;
  /** The effect failed: the event's next delivery is first again. Throws `lease_lost`. */
  release(): void;
  /** The effect takes longer: the lease runs for `leaseMs` from now on. Throws `lease_lost`. */
  renew(leaseMs: number, nowMs?: number): void;
  /** Releases unless committed, for `using`; harmless for a claim that is not first. */
  [Symbol.dispose](): void;
}

/** Thrown by `once` for an event that another delivery is being processed of: do not acknowledge this one, so that it comes again. */
export class InFlight extends Error {
  constructor(verdict: Verdict);
  readonly verdict: Verdict;
  readonly leaseLeftMs: number;
}

/** What a window did since it was made, and what it can vouch for. Frozen. */
export interface Stats {
  /** The sum of `first`, `duplicate`, `conflict`, `probableDuplicate`, `inFlight`, `late` and `rejected`. */
  readonly checked: number;
  readonly first: number;
  readonly duplicate: number;
  readonly conflict: number;
  readonly probableDuplicate: number;
  readonly inFlight: number;
  readonly late: number;
  /** Calls refused with `full`. */
  readonly rejected: number;
  /** Ids forgotten because their time was over. */
  readonly expired: number;
  /** Ids forgotten before their time, for want of room. */
  readonly evicted: number;
  /** Ids forgotten by `forget` and `clear`. */
  readonly forgotten: number;
  readonly leasesExpired: number;
  /** Ids whose time was behind the newest bucket. */
  readonly clockRegressions: number;
  /** Times the window followed a clock that was reset. */
  readonly clockResets: number;
  /** Ids remembered. */
  readonly held: number;
  readonly pending: number;
  /** Null without a cap. */
  readonly maxIds: number | null;
  readonly memoryBytes: number;
  readonly windowMs: number;
  readonly bucketMs: number;
  readonly buckets: number;
  /** How far back the memory is complete, at most `windowMs`: the one number that shows a window that silently shrank. */
  readonly effectiveWindowMs: number;
  /** Null if nothing is held. */
  readonly oldestAgeMs: number | null;
  /** How full the memory is: held / maxIds; of a filter, by what it was built for; null where there is no bound. */
  readonly fillRatio: number | null;
  /** The chance that a new id is now taken for a duplicate. */
  readonly estimatedFalseDropRate: number;
}

export type ErrorCode =
  | "empty_id"
  | "invalid_id"
  | "invalid_text"
  | "invalid_json"
  | "invalid_time"
  | "clock_step"
  | "invalid_config"
  | "full"
  | "lease_lost"
  | "unsupported"
  | "out_of_memory"
  | "closed";

/** Why a call was refused. A refused call changes nothing, but for `full`, which has told the time. */
export class FirstSeenError extends Error {
  constructor(code: ErrorCode, message: string);
  /** Stable, and the same in every language. */
  readonly code: ErrorCode;
}

/**
 * Remembers the ids of the last `windowMs`, and says of each id whether it is the first sighting.
 *
 * **The promise**, in window time (the latest time told): an id accepted at t is a duplicate while window time is at most
 * t + `windowMs`, and first again by t + N buckets at the latest. It holds unless ids are evicted for want of room or the
 * process restarts; `stats().effectiveWindowMs` says how far back the memory is complete.
 *
 * Times are milliseconds from 0 to 2^53-1, fractions rounded; anything else, `null` too, is `invalid_time`. Either every
 * recording call gives `nowMs` or none does; the first one decides.
 *
 * `nowMs` is a clock's reading. Of events in bad order do not pass each one's own time: two in a row that are more than N buckets
 * behind can read as a clock that was reset, and the window follows it. Pass the latest of their times so far, and the event's
 * own as `atMs`.
 *
 * Every method but `free` throws `closed` once the window was freed.
 */
export class Window {
  private constructor();

  /** A window that remembers exactly, for at least `windowMs`. */
  static exact(options: ExactOptions): Window;

  /** A window by its raw ring of buckets. */
  static fromBuckets(options: BucketsOptions): Window;

  /**
   * A window that remembers with a Bloom filter: little memory, and **some new events are lost**, answered `probable_duplicate`. Where a
   * lost event costs more than memory: `exact`. There is no `forget` (`unsupported`).
   */
  static bloom(options: BloomOptions): Window;

  /** As `bloom`, with a cuckoo filter: at any distribution of the ids over time, and with `forget`. */
  static cuckoo(options: CuckooOptions): Window;

  /** Records an id: `true` is its first sighting (process it), `false` is not. A duplicate does not extend its id's life. */
  firstSeen(id: Id, nowMs?: number): boolean;

  /**
   * The same as `firstSeen` one by one in order, at one time: repeats inside the batch are duplicates.
   *
   * Every id is validated before any is recorded. A lone text or lone bytes are no batch: `invalid_id`.
   */
  firstSeenMany(ids: Batch, nowMs?: number): boolean[];

  /**
   * As `firstSeenMany` of integer ids, without an object per id: 1 for each that is first, else 0, in order.
   *
   * The array may be of shared memory; it is copied once. Any other typed array or a list is `invalid_id`.
   */
  firstSeenU64(ids: BigUint64Array, nowMs?: number): Uint8Array;

  /**
   * As `firstSeenMany` of byte strings that lie end to end, as in Arrow: id i is `bytes` from `offsets[i]` to `offsets[i + 1]`, so there
   * is one more offset than ids. 1 for each that is first, else 0, in order.
   *
   * Both are copied once. An id without bytes is `empty_id`. No offset, or one that decreases or lies outside of the bytes, is
   * `invalid_id`; so are any other kinds of arrays. The first refusal counts, and nothing is recorded.
   */
  firstSeenPacked(bytes: Uint8Array, offsets: Offsets, nowMs?: number): Uint8Array;

  /** As `firstSeen`, with the reason. */
  observe(id: Id, options?: ObserveOptions): Verdict;

  /** As `firstSeenMany`, with the reasons. */
  observeMany(ids: Batch, nowMs?: number): Verdict[];

  /**
   * Asks to process an event: if it is first, it is in flight until it is committed or released, or its lease has run out. Then its next
   * delivery is first again, so a consumer that fails loses nothing. Acknowledge after the commit.
   */
  claim(id: Id, options: ClaimOptions): Claim;

  /** `claim` of several ids, in order and at one time: a repeat is in flight. On `full` nothing is claimed. */
  claimMany(ids: Batch, options: Omit<ClaimOptions, "atMs">): Claim[];

  /** The effect of a claim is done: remembers its id. Throws `lease_lost` if the token is not the present claim of its id. */
  commit(token: number, nowMs?: number): void;

  /** `commit` of several at one time: false for each that is lost, the others are committed. */
  commitMany(tokens: readonly number[], nowMs?: number): boolean[];

  /** The effect of a claim failed: the event's next delivery is first again. Throws `lease_lost`. */
  release(token: number): void;

  /** The effect of a claim takes longer: its lease runs for `leaseMs` from now on. Throws `lease_lost`. */
  renew(token: number, leaseMs: number, nowMs?: number): void;

  /**
   * Does each event's effect once: claims, calls the function while the lease is renewed, and commits; if it throws, releases.
   *
   * On a duplicate the function is not called. In flight it rejects with `InFlight`, or waits for `waitMs`. For windows that read
   * their clock.
   */
  once<T>(id: Id, fn: (claim: Claim) => T | PromiseLike<T>, options: OnceOptions): Promise<Once<T>>;

  /** What `observe` would say. Changes nothing. */
  check(id: Id, nowMs?: number): Verdict;

  /** What `check` says of each. */
  checkMany(ids: Batch, nowMs?: number): Verdict[];

  /** Forgets an id, so that its next sighting is first; says whether it was held. */
  forget(id: Id): boolean;

  /** Whether an id is held, as of window time. */
  has(id: Id): boolean;

  /** The number of ids held, as of window time. */
  get size(): number;

  /** Moves window time forward, by any step. */
  advance(nowMs?: number): void;

  /** Forgets every id. */
  clear(): void;

  /** The figures, as of `nowMs` or window time, whichever is later. Changes nothing. */
  stats(nowMs?: number): Stats;

  /** Gives the memory back at once; otherwise it is given back when the window is garbage. Harmless twice. */
  free(): void;
}

/** A number of 64 bits without a sign: a bigint from 0 to 2^64-1, or a number that is a safe integer of at least 0. */
export type SequenceNumber = number | bigint;

/** An option that is `undefined` is not given; `null` is refused. */
export interface SequencesOptions {
  /**
   * How many of the last numbers are told apart, 0 to 65536: those from the highest, H, down to H - width + 1. 0 applies only
   * what moves forward.
   */
  readonly width: number;
  /**
   * At most this many producers are held; unbounded if not given. When a further one comes, the one that was idle for longest
   * is forgotten, counted in `evicted`: **its next number is first, whatever it is.**
   */
  readonly maxProducers?: number | undefined;
  /** A producer without contact for longer than this is forgotten; none is if not given. */
  readonly idleMs?: number | undefined;
}

export interface SequenceOptions {
  /** The producer's epoch, 0 if not given. A higher one starts it anew; what comes from a lower one is `fenced`. */
  readonly epoch?: SequenceNumber | undefined;
  /** The time of this call in ms. Matters only with `idleMs`: then give it in every call or in none. */
  readonly nowMs?: number | undefined;
}

export type SequenceVerdictKind = "first" | "duplicate" | "stale" | "fenced";

/** What to do with a numbered event. Frozen. */
export interface SequenceVerdict {
  /** `stale`: below the bitmap, too old to be judged. `fenced`: of an older epoch. Neither is recorded. */
  readonly kind: SequenceVerdictKind;
  /** Whether to process it. */
  readonly first: boolean;
  /** Whether to acknowledge it without processing it. */
  readonly acknowledge: boolean;
  /** How many numbers a `first` skipped: a number, or a bigint from 2^53 on. Null for the other kinds. */
  readonly gap: SequenceNumber | null;
}

/** What sequences did since they were made. Frozen. */
export interface SequenceStats {
  /** The sum of `first`, `duplicate`, `stale` and `fenced`. */
  readonly checked: number;
  readonly first: number;
  readonly duplicate: number;
  readonly stale: number;
  readonly fenced: number;
  /** Verdicts `first` that skipped numbers. */
  readonly gaps: number;
  /** Producers forgotten because they were idle for too long. */
  readonly expired: number;
  /** Producers forgotten for want of room. Above 0, the guarantee is lost for them. */
  readonly evicted: number;
  /** Producers forgotten by `forget`. */
  readonly forgotten: number;
  readonly clockRegressions: number;
  readonly clockResets: number;
  /** Producers remembered. */
  readonly held: number;
  /** Null without a cap. */
  readonly maxProducers: number | null;
  readonly memoryBytes: number;
  readonly width: number;
  /** Null if no producer is ever idle for too long. */
  readonly idleMs: number | null;
}

/**
 * Remembers of each producer the highest number that it sent, and which of the `width` last numbers came.
 *
 * For producers that number their events. A number above the highest is `first`; one of the `width` last numbers is first once,
 * then `duplicate`; what is lower is `stale`. A producer that was forgotten is unknown: its next number is first.
 *
 * Numbers that are none are `invalid_id`, times as a `Window`'s. Every method but `free` throws `closed` after `free`.
 */
export class Sequences {
  constructor(options: SequencesOptions);

  /** Records a number: `true` is its first sighting (process it), `false` is not. */
  firstSeen(producer: Id, seq: SequenceNumber, options?: SequenceOptions): boolean;

  /** As `firstSeen`, with the reason. */
  observe(producer: Id, seq: SequenceNumber, options?: SequenceOptions): SequenceVerdict;

  /** Forgets a producer, so that its next number is first, whatever it is; says whether it was held. */
  forget(producer: Id): boolean;

  /** The number of producers held, as of window time. */
  get size(): number;

  /** The figures, as of `nowMs` or window time, whichever is later. Changes nothing. */
  stats(nowMs?: number): SequenceStats;

  /** Gives the memory back at once; otherwise it is given back when this is garbage. Harmless twice. */
  free(): void;
}

/** Several ids. Not a text, whose characters are no ids, nor bytes. */
export type Batch = Iterable<Id> & object & { readonly byteLength?: never };

/** Where packed ids begin and end: Arrow has `Int32Array`, and `BigInt64Array` for large columns. */
export type Offsets = Int32Array | Uint32Array | BigInt64Array | BigUint64Array;

/**
 * An id's stable hash: 16 bytes that are the same in every language, version and byte order.
 *
 * For sharding, stores and tests.
 */
export function fingerprint(id: Id, options?: { readonly secret?: Uint8Array | undefined }): Uint8Array;

/** What of a payload counts, by JSON Pointers (RFC 6901): `/meta/sent_at`, `/items/0`. Not both lists. */
export interface JsonOptions {
  /** Leaves these out, as if they were not there: what differs between two deliveries of one event. */
  readonly ignore?: readonly string[] | undefined;
  /** Leaves out all but these, and what they lie in. One that is not there is not missed, unless all are: `empty_id`. */
  readonly only?: readonly string[] | undefined;
  /** The 16-byte key of the fingerprint; default: 16 zero bytes. */
  readonly secret?: Uint8Array | undefined;
}

/**
 * The fingerprint of a payload's content: of the canonical form (RFC 8785) of a JSON text, taken as an id of text.
 *
 * **Do not use it** where the producer gives an id; nor where two real events can have the same payload, which this takes
 * for one: put what tells them apart beside it, as in `[fingerprintJson(body), minute]`.
 *
 * The order of members, white space, escapes and the way in which a number is written do not matter. The text is what was
 * received, and not what `JSON.stringify` makes of a parsed one: that has forgotten what was ambiguous.
 *
 * `invalid_json` names the byte at which the text is no JSON, or ambiguous: a second member of the same name, a lone
 * surrogate, an integer that no double has, more than 128 arrays and objects in one another, a byte order mark.
 */
export function fingerprintJson(text: string | Uint8Array | ArrayBuffer, options?: JsonOptions): Uint8Array;

/**
 * The figures of windows and sequences as OpenMetrics 1.0 text, as of `nowMs` or each window's time, whichever is later.
 *
 * A name is the value of the label `window` or `sequences`. Its media type is
 * `application/openmetrics-text; version=1.0.0; charset=utf-8`. Changes nothing. Anything else than an object of windows and sequences, and
 * an empty name, is `invalid_config`.
 *
 * ```js
 * createServer((_, response) => {
 *   response.setHeader("content-type", "application/openmetrics-text; version=1.0.0; charset=utf-8");
 *   response.end(openMetrics({ payments: window }));
 * }).listen(9464);
 * ```
 */
export function openMetrics(windows: Readonly<Record<string, Window | Sequences>>, nowMs?: number): string;

/** What `registerMetrics` uses of a registry of prom-client's. */
export interface PromRegistry {
  removeSingleMetric(name: string): void;
}

/** What `registerMetrics` uses of prom-client. */
export interface PromClient {
  // Its own types name more than is used here, and differ from version to version.
  readonly Counter: new (configuration: any) => unknown;
  readonly Gauge: new (configuration: any) => unknown;
  readonly register: PromRegistry;
}

/**
 * Registers the metrics of `openMetrics` with prom-client, which reads the windows at each scrape.
 *
 * Call it once for a registry (prom-client's default one if none is given): its names are taken then, and prom-client throws. Windows may be
 * added to the object and removed from it; take out one that is freed, or the scrape fails with `closed`.
 *
 * ```js
 * import client from "prom-client";
 * registerMetrics(client, { payments: window });
 * ```
 */
export function registerMetrics(
  client: PromClient,
  windows: Readonly<Record<string, Window | Sequences>>,
  options?: { readonly registry?: PromRegistry },
): void;

/** The load to plan for. An option that is `undefined` is not given; `null` is refused. */
export interface PlanOptions {
  /** Events a second; of distinct ids, or with redeliveries: then the figures are too high, never too low. */
  readonly ratePerSecond: number;
  /** For how long an id is to be remembered, at least. */
  readonly windowMs: number;
  /** How many bytes the window may take, 1 to 2^53-1; any number if not given. */
  readonly budgetBytes?: number | undefined;
  /** Which share of new events may be lost, 1e-10 to 0.5. If not given none may, and no filter is recommended. */
  readonly falseDropRate?: number | undefined;
}

/** What one memory would take, and what it would lose. Frozen. */
export interface PlanChoice {
  /** Bytes at most, at the peak of its growth. */
  readonly bytes: number;
  /** Whether that is within the budget; true without one. */
  readonly fits: boolean;
  /** The chance that a new id is taken for a duplicate, on average and at most. */
  readonly falseDropRate: number;
  /** How many events a day are lost so, if all are new. */
  readonly falseDropsPerDay: number;
  /** How long an id is remembered, at most; at least it is the window. */
  readonly rememberedMs: number;
  /** If it does not fit, a window that would; null if it fits, and if no window does. */
  readonly fittingWindowMs: number | null;
}

/** The memories compared. Frozen. As a text it is a table. */
export interface Plan {
  readonly ratePerSecond: number;
  readonly windowMs: number;
  /** Null if not given, as `falseDropRate`. */
  readonly budgetBytes: number | null;
  readonly falseDropRate: number | null;
  /** Distinct ids in a window, at most. */
  readonly expectedIds: number;
  readonly exact: PlanChoice;
  /** Filters are planned for a rate of 0.001 if none is given. Null for a filter that cannot keep the rate, however large. */
  readonly cuckoo: PlanChoice | null;
  readonly bloom: PlanChoice | null;
  /** Exact wherever that fits; else, if a false drop rate is given, a filter that does. */
  readonly recommended: "exact" | "cuckoo" | "bloom" | null;
  /** Why. */
  readonly reason: string;
  toString(): string;
}

/**
 * How much memory a window takes, and which one to use. The same figures, to the bit, in every language.
 *
 * Refused are a `ratePerSecond` that is not above 0 or comes to 2^41 ids in a window, and options out of range: `invalid_config`.
 */
export function plan(options: PlanOptions): Plan;
