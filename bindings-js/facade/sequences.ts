import type * as Public from "../firstseen";
import { type Engine, NO_READING } from "./engine";
import { FirstSeenError, closed, invalidConfig, invalidNumber, invalidTime, kindOf } from "./error";
import { borrowed, roomFor, write } from "./ids";
import { named } from "./options";
import { figuresOf } from "./stats";
import { CLOCKED, TOLD, UNSAID } from "./time";

/** In the order in which the engine leaves them. */
export const SEQUENCE_FIGURES = [
  "checked",
  "first",
  "duplicate",
  "stale",
  "fenced",
  "gaps",
  "expired",
  "evicted",
  "forgotten",
  "clockRegressions",
  "clockResets",
  "held",
  "maxProducers",
  "memoryBytes",
  "width",
  "idleMs",
] as const satisfies readonly (keyof Public.SequenceStats)[];

/** In the order in which they are written. */
const OPTIONS = ["width", "maxProducers", "idleMs"];

/** What a number of 64 bits takes in the input. */
const NUMBER = 9;

const MAX = (1n << 64n) - 1n;

const other = (kind: Public.SequenceVerdictKind): Public.SequenceVerdict =>
  Object.freeze({ kind, first: false, acknowledge: true, gap: null });

const DUPLICATE = other("duplicate");
const STALE = other("stale");
const FENCED = other("fenced");

const firstAfter = (gap: number | bigint): Public.SequenceVerdict =>
  Object.freeze({ kind: "first", first: true, acknowledge: false, gap });

/** The engine's answers for what is not first, and for a first whose gap is no safe integer, which lies in its answers. */
const OTHERS: Readonly<Record<number, Public.SequenceVerdict>> = { [-2]: DUPLICATE, [-3]: STALE, [-4]: FENCED };
const HUGE_GAP = -5;

/** A seq or an epoch that is one; else an error to throw in its turn. */
function numberOf(name: string, value: unknown): number | bigint | FirstSeenError {
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) return invalidNumber(name, "a number that is no safe integer");
    return value < 0 ? invalidNumber(name, "a negative integer") : value;
  }
  if (typeof value !== "bigint") return invalidNumber(name, kindOf(value));
  if (value < 0n) return invalidNumber(name, "a negative integer");
  return value > MAX ? invalidNumber(name, "an integer above 2^64-1") : value;
}

/** What the facade does for all of its classes. */
export interface Tools {
  /** The engine's answer, if it did not refuse. */
  answered(answer: number): number;
  room(bytes: number): Uint8Array;
  /** Refuses for the ids in the input if there is a reason, else with the error: ids are judged first. */
  refuse(length: number, error: unknown): never;
  /** As `answered`, after a call with so much input. */
  done(length: number, answer: number): number;
}

/** The class over an engine. */
export function sequencesOver(engine: Engine, { answered, room, refuse, done }: Tools): typeof Public.Sequences {
  const dropped =
    typeof FinalizationRegistry === "undefined"
      ? undefined
      : new FinalizationRegistry<number>((handle) => engine.sequencesFree(handle));

  /** The milliseconds that go with the mode which `#when` returns. */
  let moment = 0;

  /** The gap that goes with the answer `HUGE_GAP`. */
  let hugeGap = 0n;

  class Sequences {
    #handle: number;

    static {
      // Bundlers rename a class that shares its name with something else.
      Object.defineProperty(this, "name", { value: "Sequences", configurable: true });
    }

    constructor(options: unknown) {
      const values = named(options, OPTIONS);
      if (values instanceof FirstSeenError) throw values;
      if (values.width === undefined) throw invalidConfig("width", undefined, "a number; it must be given");
      const place = room(8 * OPTIONS.length);
      const view = new DataView(place.buffer, place.byteOffset);
      OPTIONS.forEach((name, index) => {
        const value = values[name];
        // NaN stands for none behind here.
        if (value !== undefined && (typeof value !== "number" || Number.isNaN(value))) {
          throw name === "idleMs" ? invalidTime(name, value) : invalidConfig(name, value, "a number");
        }
        view.setFloat64(8 * index, value ?? NaN, true);
      });
      this.#handle = answered(engine.sequencesCreate(8 * OPTIONS.length));
      dropped?.register(this, this.#handle, this);
    }

    firstSeen(producer: unknown, seq: unknown, options?: unknown): boolean {
      const answer = this.#record(producer, seq, options);
      return answer >= 0 || answer === HUGE_GAP;
    }

    observe(producer: unknown, seq: unknown, options?: unknown): Public.SequenceVerdict {
      const answer = this.#record(producer, seq, options);
      if (answer >= 0) return firstAfter(answer);
      return answer === HUGE_GAP ? firstAfter(hugeGap) : (OTHERS[answer] as Public.SequenceVerdict);
    }

    forget(producer: unknown): boolean {
      this.#open();
      const ours = borrowed(producer);
      const length = write(ours, room(roomFor(ours)), 0);
      return done(length, engine.sequencesForget(length, this.#handle)) === 1;
    }

    get size(): number {
      this.#open();
      return answered(engine.sequencesSize(this.#handle));
    }

    stats(nowMs?: unknown): Public.SequenceStats {
      this.#open();
      const mode = this.#when(0, nowMs);
      return figuresOf<Public.SequenceStats>(SEQUENCE_FIGURES, engine.answers(answered(engine.sequencesStats(this.#handle, mode, moment))));
    }

    free(): void {
      if (this.#handle === 0) return;
      engine.sequencesFree(this.#handle);
      this.#handle = 0;
      dropped?.unregister(this);
    }

    #open(): void {
      if (this.#handle === 0) throw closed("the sequences are");
    }

    #record(producer: unknown, seq: unknown, options: unknown): number {
      this.#open();
      // Getters and iterators are foreign code, which may call in: they are done before the input is written.
      const values = named(options, ["epoch", "nowMs"]);
      const ours = borrowed(producer);
      this.#open();
      const place = room(roomFor(ours) + 2 * NUMBER);
      const end = write(ours, place, 0);
      const number = numberOf("seq", seq);
      if (number instanceof FirstSeenError) return refuse(end, number);
      if (values instanceof FirstSeenError) return refuse(end, values);
      const epoch = numberOf("epoch", values.epoch === undefined ? 0 : values.epoch);
      if (epoch instanceof FirstSeenError) return refuse(end, epoch);
      const length = write(epoch, place, write(number, place, end));
      const mode = this.#when(end, values.nowMs);
      const answer = engine.sequencesObserve(length, this.#handle, mode, moment);
      if (answer === HUGE_GAP) {
        const [high = 0, low = 0] = engine.answers(2);
        hugeGap = (BigInt(high) << 32n) + BigInt(low);
      }
      return done(length, answer);
    }

    /** The time of a call whose producer is the first `length` bytes of the input. Sets `moment`. */
    #when(length: number, nowMs: unknown): number {
      if (typeof nowMs === "number") {
        moment = nowMs;
        return TOLD;
      }
      if (nowMs !== undefined) refuse(length, invalidTime("nowMs", nowMs));
      moment = answered(engine.sequencesReading(this.#handle));
      return moment === NO_READING ? UNSAID : CLOCKED;
    }
  }

  return Sequences as unknown as typeof Public.Sequences;
}
