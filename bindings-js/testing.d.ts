/** Delivers events at least once, to see what a consumer makes of it: duplicates, disorder, delays and crashes, by a seed. */

/** The consumer's process dies here: what it had not written is gone. Do not catch it. */
export class Crash extends Error {
  constructor();
}

/** One delivery of an event. */
export interface Delivery<T> {
  readonly event: T;
  /** The time of an imagined clock, in ms. */
  readonly nowMs: number;
  /** From 1 on. */
  readonly attempt: number;
  /** A place at which the process may die: then it throws `Crash`. */
  checkpoint(): void;
  /** The effect: counted once `run` is done, with places to crash before and after it. */
  effect(run?: () => unknown): Promise<void>;
}

export interface DeliverOptions<T> {
  readonly seed?: number | undefined;
  /** What identifies an event; itself if not given. */
  readonly key?: ((event: T) => unknown) | undefined;
  readonly startMs?: number | undefined;
  /** How far events are apart; 100. */
  readonly intervalMs?: number | undefined;
  /** Up to how late the first delivery comes; 5000. */
  readonly disorderMs?: number | undefined;
  /** The share of events that is delivered again though it was acknowledged, within `delayMs`; 0.2 and 60000. */
  readonly duplicates?: number | undefined;
  readonly delayMs?: number | undefined;
  /** The share that is delivered again after `lateByMs` more: beyond the window, say. 0. */
  readonly late?: number | undefined;
  readonly lateByMs?: number | undefined;
  /** The chance to die at each checkpoint; 0.05. */
  readonly crashes?: number | undefined;
  /** When an event comes again that was not acknowledged; 35000. */
  readonly retryMs?: number | undefined;
  /** Called after a crash: to open anew what was in memory. */
  readonly restart?: ((nowMs: number) => void) | undefined;
}

/** What came of the events. */
export interface Report {
  readonly events: number;
  readonly deliveries: number;
  readonly acknowledged: number;
  /** Events whose effect was never done, though a delivery was acknowledged. Must be 0. */
  readonly lost: number;
  /** Effects beyond the first of an event. */
  readonly repeated: number;
  readonly crashed: number;
  /** Crashes after an effect and before the end of its delivery: each may cost a repeated effect, unless effects are idempotent. */
  readonly crashedAfterEffect: number;
  /** Of each event, by its key, how often its effect was done. */
  readonly effects: ReadonlyMap<unknown, number>;
  readonly atLeastOnce: boolean;
  readonly exactlyOnce: boolean;
  /** Whether no effect was repeated without a crash between it and the end of its delivery. */
  readonly noMoreThanCrashesExplain: boolean;
}

/**
 * Delivers each event until it is acknowledged, and some again after that; says what came of them.
 *
 * `consume` answers whether to acknowledge; anything but true, and anything thrown, means that the event is delivered again.
 */
export function deliver<T>(
  events: Iterable<T>,
  consume: (delivery: Delivery<T>) => unknown,
  options?: DeliverOptions<T>,
): Promise<Report>;
