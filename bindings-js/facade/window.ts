import type * as Public from "../firstseen";
import { type Written, batchOf, writeBatch, writeIntegers, writePacked } from "./batch";
import { type Claim, claimsOf, leaseOf, once, tokenOf, writeTokens } from "./claims";
import { type Engine, FAILED, NO_READING, OTHERWISE } from "./engine";
import { FirstSeenError, closed, invalidConfig, invalidTime, outOfMemory, refusal } from "./error";
import { bodyOf, borrowed, roomFor, write } from "./ids";
import { fingerprintJsonOver } from "./json";
import { metricsOver } from "./metrics";
import { named, plan, secretOf } from "./options";
import { planOver } from "./plan";
import { sequencesOver } from "./sequences";
import { statsOf } from "./stats";
import { CLOCKED, TOLD, UNSAID } from "./time";
import { firstsOf, isFirst, marksOf, verdictOf } from "./verdict";

/** Calls with more input than this give their memory back. */
const LARGE = 64 * 1024;

/** Whoever has it may construct. */
const KEY = Symbol("firstseen");

/** The public functions and classes over an engine. */
export function facade(engine: Engine): Omit<typeof Public, "FirstSeenError" | "InFlight"> {
  // The calls that must be fast.
  const { firstSeen, firstSeenByClock } = engine;

  /** The engine's answer, if it did not refuse. */
  function answered(answer: number): number {
    if (answer === FAILED) throw refusal(engine.error());
    return answer;
  }

  function room(bytes: number): Uint8Array {
    const place = engine.input(bytes);
    if (place === undefined) throw outOfMemory();
    return place;
  }

  /** Writes the ids of a batch into the input. */
  function putMany(ids: unknown): Written {
    return writeBatch(batchOf(ids), room, (end) => void answered(engine.validate(end)));
  }

  /** Writes one id into the input, behind `at` other bytes. */
  function putOne(id: unknown, at = 0): number {
    const ours = borrowed(id);
    return write(ours, room(at + roomFor(ours)), at);
  }

  /** Refuses for the ids in the input if there is a reason, else with the error: ids are judged first. */
  function refuse(length: number, error: unknown): never {
    answered(engine.validate(length));
    throw error;
  }

  /** As `answered`, after a call with so much input. */
  function done(length: number, answer: number): number {
    const text = answer === FAILED ? engine.error() : undefined;
    if (length > LARGE) engine.release();
    if (text !== undefined) throw refusal(text);
    return answer;
  }

  const dropped =
    typeof FinalizationRegistry === "undefined"
      ? undefined
      : new FinalizationRegistry<number>((handle) => engine.free(handle));

  /** The milliseconds that go with the mode which `#when` returns. */
  let moment = 0;

  class Window implements Public.Window {
    #handle: number;
    readonly #clock: (() => unknown) | undefined;

    static {
      // Bundlers rename a class that shares its name with something else.
      Object.defineProperty(this, "name", { value: "Window", configurable: true });
    }

    constructor(key: unknown, handle: number, clock: (() => unknown) | undefined) {
      if (key !== KEY) throw new TypeError("Window has no public constructor; accepted: Window.exact, fromBuckets, bloom and cuckoo");
      this.#handle = handle;
      this.#clock = clock;
      dropped?.register(this, handle, this);
    }

    static exact(options: unknown): Window {
      return Window.#of("exact", options);
    }

    static fromBuckets(options: unknown): Window {
      return Window.#of("fromBuckets", options);
    }

    static bloom(options: unknown): Window {
      return Window.#of("bloom", options);
    }

    static cuckoo(options: unknown): Window {
      return Window.#of("cuckoo", options);
    }

    static #of(way: "exact" | "fromBuckets" | "bloom" | "cuckoo", options: unknown): Window {
      const { bytes, clock } = plan(way, options);
      room(bytes.length).set(bytes);
      const handle = engine.create(bytes.length);
      // It may hold a secret.
      room(bytes.length).fill(0, 0, bytes.length);
      return new Window(KEY, answered(handle), clock);
    }

    firstSeen(id: unknown, nowMs?: unknown): boolean {
      if (typeof id === "string") {
        let answer = OTHERWISE;
        if (typeof nowMs === "number") answer = firstSeen(this.#handle, id, nowMs);
        else if (nowMs === undefined && this.#clock === undefined) answer = firstSeenByClock(this.#handle, id);
        if (answer >= 0) return answer === 1;
        if (answer === FAILED) throw refusal(engine.error());
      }
      return isFirst(this.#record(id, nowMs, undefined));
    }

    firstSeenMany(ids: unknown, nowMs?: unknown): boolean[] {
      this.#open();
      return this.#marked(putMany(ids), nowMs, firstsOf);
    }

    firstSeenU64(ids: unknown, nowMs?: unknown): Uint8Array {
      this.#open();
      return this.#marked(writeIntegers(ids, room), nowMs, marksOf);
    }

    firstSeenPacked(bytes: unknown, offsets: unknown, nowMs?: unknown): Uint8Array {
      this.#open();
      return this.#marked(writePacked(bytes, offsets, room), nowMs, marksOf);
    }

    observe(id: unknown, options?: unknown): Public.Verdict {
      this.#open();
      const values = named(options, ["nowMs", "atMs", "body"]);
      if (values instanceof FirstSeenError) refuse(putOne(id), values);
      return verdictOf(this.#record(id, values.nowMs, values.atMs, values.body));
    }

    claim(id: unknown, options: unknown): Public.Claim {
      this.#open();
      const values = named(options, ["leaseMs", "nowMs", "atMs"]);
      const length = putOne(id);
      if (values instanceof FirstSeenError) return refuse(length, values);
      const { leaseMs, atMs } = values;
      if (typeof leaseMs !== "number") return refuse(length, invalidTime("leaseMs", leaseMs));
      const mode = this.#when(length, values.nowMs);
      const at = atOf(length, atMs);
      const answer = done(length, engine.claim(length, this.#handle, mode, moment, at, leaseMs));
      return claimsOf(this, Float64Array.of(answer, engine.answers(1)[0]!), verdictOf)[0]!;
    }

    claimMany(ids: unknown, options: unknown): Public.Claim[] {
      this.#open();
      const values = named(options, ["leaseMs", "nowMs"]);
      const { end: length, none } = putMany(ids);
      if (values instanceof FirstSeenError) return refuse(length, values);
      const { leaseMs } = values;
      if (typeof leaseMs !== "number") return refuse(length, invalidTime("leaseMs", leaseMs));
      const mode = this.#when(length, values.nowMs, none);
      const count = engine.claimMany(length, this.#handle, mode, moment, leaseMs);
      const claims: Claim[] = count > 0 ? claimsOf(this, engine.answers(2 * count), verdictOf) : [];
      done(length, count);
      return claims;
    }

    commit(token: unknown, nowMs?: unknown): void {
      this.#open();
      const named = tokenOf(token);
      const mode = this.#when(0, nowMs);
      answered(engine.commit(this.#handle, named, mode, moment));
    }

    commitMany(tokens: unknown, nowMs?: unknown): boolean[] {
      this.#open();
      const none = writeTokens(tokens, room) === 0;
      const mode = this.#when(0, nowMs, none);
      // A clock may have used the input.
      const length = writeTokens(tokens, room);
      const count = engine.commitMany(length, this.#handle, mode, moment);
      const committed = count > 0 ? Array.from(engine.answers(count), (mark) => mark === 1) : [];
      done(length, count);
      return committed;
    }

    release(token: unknown): void {
      this.#open();
      answered(engine.releaseClaim(this.#handle, tokenOf(token)));
    }

    renew(token: unknown, leaseMs: unknown, nowMs?: unknown): void {
      this.#open();
      const [named, lease] = [tokenOf(token), leaseOf(leaseMs)];
      const mode = this.#when(0, nowMs);
      answered(engine.renew(this.#handle, named, lease, mode, moment));
    }

    once<T>(id: unknown, fn: unknown, options: unknown): Promise<Public.Once<T>> {
      return once((options) => this.claim(id, options) as Claim, fn, options) as Promise<Public.Once<T>>;
    }

    observeMany(ids: unknown, nowMs?: unknown): Public.Verdict[] {
      return this.#many(engine.observeMany, ids, nowMs);
    }

    check(id: unknown, nowMs?: unknown): Public.Verdict {
      this.#open();
      const length = putOne(id);
      const mode = this.#when(length, nowMs);
      return verdictOf(done(length, engine.check(length, this.#handle, mode, moment)));
    }

    checkMany(ids: unknown, nowMs?: unknown): Public.Verdict[] {
      return this.#many(engine.checkMany, ids, nowMs);
    }

    forget(id: unknown): boolean {
      this.#open();
      const length = putOne(id);
      return done(length, engine.forget(length, this.#handle)) === 1;
    }

    has(id: unknown): boolean {
      this.#open();
      const length = putOne(id);
      return done(length, engine.has(length, this.#handle)) === 1;
    }

    get size(): number {
      return answered(engine.size(this.#handle));
    }

    advance(nowMs?: unknown): void {
      const mode = this.#when(0, nowMs);
      answered(engine.advance(this.#handle, mode, moment));
    }

    clear(): void {
      answered(engine.clear(this.#handle));
    }

    stats(nowMs?: unknown): Public.Stats {
      const mode = this.#when(0, nowMs);
      return statsOf(engine.answers(answered(engine.stats(this.#handle, mode, moment))));
    }

    free(): void {
      if (this.#handle === 0) return;
      engine.free(this.#handle);
      this.#handle = 0;
      dropped?.unregister(this);
    }

    #open(): void {
      if (this.#handle === 0) throw closed();
    }

    #record(id: unknown, nowMs: unknown, atMs: unknown, body?: unknown): number {
      this.#open();
      const length = putOne(id);
      const bytes = body === undefined ? undefined : this.#body(length, body);
      const mode = this.#when(length, nowMs);
      const at = atOf(length, atMs);
      if (bytes === undefined) return done(length, engine.observe(length, this.#handle, mode, moment, at));
      const ids = room(length).slice(0, length);
      const end = length + bytes.length;
      const place = room(end);
      place.set(ids);
      place.set(bytes, length);
      return done(end, engine.observeBody(end, this.#handle, mode, moment, at));
    }

    /** A copy of a body's bytes. */
    #body(length: number, body: unknown): Uint8Array {
      try {
        const bytes = bodyOf(body);
        if (bytes !== undefined) return bytes;
      } catch (error) {
        refuse(length, error);
      }
      return refuse(length, invalidConfig("body", body, "a text or bytes"));
    }

    #many(call: Engine["observeMany"], ids: unknown, nowMs: unknown): Public.Verdict[] {
      this.#open();
      const { end: length, none } = putMany(ids);
      const mode = this.#when(length, nowMs, none);
      const count = call(length, this.#handle, mode, moment);
      const verdicts: Public.Verdict[] = [];
      if (count > 0) for (const answer of engine.answers(count)) verdicts.push(verdictOf(answer));
      done(length, count);
      return verdicts;
    }

    /** Records the ids in the input, and takes what is left there: 1 for each that is first, else 0. */
    #marked<T>({ end: length, none }: Written, nowMs: unknown, take: (marks: Uint8Array, count: number) => T): T {
      const mode = this.#when(length, nowMs, none);
      const count = engine.firstSeenMany(length, this.#handle, mode, moment);
      const results = take(room(0), Math.max(count, 0));
      done(length, count);
      return results;
    }

    /**
     * The time of a call whose ids are the first `length` bytes of the input, where they are afterwards too. Sets `moment`.
     *
     * A clock is foreign code: it may call this window, and free it.
     */
    #when(length: number, nowMs: unknown, idle = false): number {
      this.#open();
      if (typeof nowMs === "number") {
        moment = nowMs;
        return TOLD;
      }
      if (nowMs !== undefined) refuse(length, invalidTime("nowMs", nowMs));
      if (idle) return UNSAID;
      if (this.#clock === undefined) {
        moment = answered(engine.reading(this.#handle));
        return moment === NO_READING ? UNSAID : CLOCKED;
      }
      if (answered(engine.wantsClock(this.#handle)) === 0) return UNSAID;
      answered(engine.validate(length));
      const ids = room(length).slice(0, length);
      const clock = this.#clock;
      const ms = clock();
      room(length).set(ids);
      this.#open();
      if (typeof ms !== "number") refuse(length, invalidTime("clock", ms));
      moment = ms;
      return CLOCKED;
    }
  }

  /** The event's own time. NaN is no time, but stands for none behind here. */
  function atOf(length: number, atMs: unknown): number {
    if (atMs !== undefined && (typeof atMs !== "number" || Number.isNaN(atMs))) refuse(length, invalidTime("atMs", atMs));
    return atMs ?? NaN;
  }

  function fingerprint(id: unknown, options?: unknown): Uint8Array {
    const values = named(options, ["secret"]);
    if (values instanceof FirstSeenError) return refuse(putOne(id), values);
    let secret: Uint8Array | undefined;
    try {
      secret = secretOf(values.secret);
    } catch (error) {
      return refuse(putOne(id), error);
    }
    const bytes = secret?.length ?? 0;
    const length = putOne(id, bytes);
    if (secret) room(length).set(secret);
    answered(engine.fingerprint(length, bytes));
    const place = room(length);
    const print = place.slice(0, 16);
    place.fill(0, 0, 16);
    if (length > LARGE) engine.release();
    return print;
  }

  const tools = { answered, room, refuse, done };
  const classes = { Window: Window as unknown as typeof Public.Window, Sequences: sequencesOver(engine, tools) };
  return { ...classes, fingerprint, fingerprintJson: fingerprintJsonOver(engine), plan: planOver(engine, tools), ...metricsOver(engine, tools, classes) };
}
