import type * as Public from "../testing";

/** The consumer's process dies here: what it had not written is gone. Do not catch it. */
export class Crash extends Error implements Public.Crash {
  constructor() {
    super("the process dies here; do not catch this");
    this.name = "Crash";
  }
}

/** SplitMix32: a number from 0 to 1 at each call. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

interface Entry {
  readonly at: number;
  readonly number: number;
  readonly event: unknown;
  readonly attempt: number;
  readonly extra: boolean;
}

const before = (one: Entry, other: Entry): boolean => one.at < other.at || (one.at === other.at && one.number < other.number);

/** A binary heap, the earliest first. */
class Queue {
  readonly #entries: Entry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  push(entry: Entry): void {
    const entries = this.#entries;
    let place = entries.push(entry) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!before(entry, entries[parent]!)) break;
      entries[place] = entries[parent]!;
      place = parent;
    }
    entries[place] = entry;
  }

  pop(): Entry {
    const entries = this.#entries;
    const first = entries[0]!;
    const last = entries.pop()!;
    if (entries.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= entries.length) break;
      if (child + 1 < entries.length && before(entries[child + 1]!, entries[child]!)) child += 1;
      if (!before(entries[child]!, last)) break;
      entries[place] = entries[child]!;
      place = child;
    }
    entries[place] = last;
    return first;
  }
}

export async function deliver<T>(
  events: Iterable<T>,
  consume: (delivery: Public.Delivery<T>) => unknown,
  options: Public.DeliverOptions<T> = {},
): Promise<Public.Report> {
  const { seed = 0, key = (event: T): unknown => event, startMs = 1e9, intervalMs = 100, duplicates = 0.2, disorderMs = 5_000 } = options;
  const { delayMs = 60_000, late = 0, lateByMs = 0, crashes = 0.05, retryMs = 35_000, restart } = options;
  const random = seeded(seed);
  const effects = new Map<unknown, number>();
  const acknowledged = new Set<unknown>();
  const counts = { events: 0, deliveries: 0, crashed: 0, crashedAfterEffect: 0 };
  const queue = new Queue();
  let number = 0;
  const push = (at: number, event: T, attempt: number, extra: boolean): void => queue.push({ at, number: number++, event, attempt, extra });
  for (const event of events) {
    push(startMs + counts.events * intervalMs + random() * disorderMs, event, 1, false);
    counts.events += 1;
    if (!effects.has(key(event))) effects.set(key(event), 0);
  }
  while (queue.size > 0) {
    const { at, event: any, attempt, extra } = queue.pop();
    const event = any as T;
    const name = key(event);
    const nowMs = Math.floor(at);
    counts.deliveries += 1;
    let done = false;
    const checkpoint = (): void => {
      if (random() >= crashes) return;
      counts.crashedAfterEffect += done ? 1 : 0;
      throw new Crash();
    };
    const effect = async (run?: () => unknown): Promise<void> => {
      checkpoint();
      await run?.();
      effects.set(name, (effects.get(name) ?? 0) + 1);
      done = true;
      checkpoint();
    };
    let acknowledge = false;
    try {
      acknowledge = (await consume({ event, nowMs, attempt, checkpoint, effect })) === true;
      // The acknowledgement may be lost as well.
      checkpoint();
    } catch (error) {
      acknowledge = false;
      if (error instanceof Crash) {
        counts.crashed += 1;
        restart?.(nowMs);
      }
    }
    if (!acknowledge) {
      push(at + retryMs * (1 + 0.1 * random()), event, attempt + 1, extra);
      continue;
    }
    acknowledged.add(name);
    if (!extra && random() < duplicates) push(at + random() * delayMs, event, attempt + 1, true);
    if (!extra && random() < late) push(at + lateByMs + random() * delayMs, event, attempt + 1, true);
  }
  let [lost, repeated] = [0, 0];
  for (const [name, count] of effects) {
    repeated += Math.max(0, count - 1);
    if (count === 0 && acknowledged.has(name)) lost += 1;
  }
  return {
    ...counts,
    acknowledged: acknowledged.size,
    lost,
    repeated,
    effects,
    atLeastOnce: lost === 0,
    exactlyOnce: lost === 0 && repeated === 0,
    noMoreThanCrashesExplain: lost === 0 && repeated <= counts.crashedAfterEffect,
  };
}
