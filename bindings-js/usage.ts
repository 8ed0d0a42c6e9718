// How a TypeScript user writes it: compiled with every build against the declarations, never run.

import client from "prom-client";
import {
  FirstSeenError,
  type Plan,
  type SequenceStats,
  type SequenceVerdict,
  Sequences,
  type Stats,
  type Verdict,
  Window,
  fingerprint,
  fingerprintJson,
  openMetrics,
  plan,
  registerMetrics,
} from "./firstseen";

const window: Window = Window.exact({ windowMs: 600_000, maxIds: 1_000, onFull: "reject", clock: () => 5, maxLatenessMs: undefined });
const ring: Window = Window.fromBuckets({ bucketMs: 1_000, buckets: 60, secret: new Uint8Array(16) });

const first: boolean = window.firstSeen(["tenant", 7n, new Uint8Array(2)], 1_000);
const many: boolean[] = window.firstSeenMany(new Set(["a", "b"]));
const ids: readonly string[] = ["a"];
const marks: Uint8Array[] = [window.firstSeenU64(BigUint64Array.of(7n)), window.firstSeenPacked(new Uint8Array(2), Int32Array.of(0, 2), 5)];
window.firstSeenPacked(new Uint8Array(2), BigInt64Array.of(0n, 2n));
const verdicts: Verdict[] = [...window.observeMany(ids), window.observe(new ArrayBuffer(2), { nowMs: 1, atMs: 0 }), ring.check("a")];
const age: number | null = verdicts[0]?.ageMs ?? null;
const stats: Stats = ring.stats(5);
const bytes: Uint8Array = fingerprint(7, { secret: undefined });
const payload: Uint8Array = fingerprintJson("{}", { ignore: ["/a"], only: undefined, secret: new Uint8Array(16) });
const sequences: Sequences = new Sequences({ width: 64, maxProducers: 5, idleMs: undefined });
const numbered: boolean = sequences.firstSeen(["tenant", 7], 2n ** 64n - 1n, { epoch: 3, nowMs: 5 });
const gap: SequenceVerdict["gap"] = sequences.observe("p", 1).gap;
const figures: SequenceStats = sequences.stats();
const code: "full" | string = new FirstSeenError("full", "x").code;

// @ts-expect-error a misspelt option
Window.exact({ windowMs: 1, bukketMs: 1 });
// @ts-expect-error an option of the other kind of window
Window.exact({ windowMs: 1, buckets: 5 });
// @ts-expect-error the window's length must be given
Window.exact({ maxIds: 5 });
// @ts-expect-error both must be given
Window.fromBuckets({ bucketMs: 5 });
// @ts-expect-error no such policy
Window.exact({ windowMs: 1, onFull: "explode" });
// @ts-expect-error a secret is bytes
Window.exact({ windowMs: 1, secret: "0123456789abcdef" });
// @ts-expect-error a misspelt option of a call
window.observe("a", { nwoMs: 1 });
// @ts-expect-error there is no public constructor
new Window();
// @ts-expect-error null is no id
window.firstSeen(null);
// @ts-expect-error a nested composite
window.firstSeen(["a", ["b"]]);
// @ts-expect-error a null is no time
window.firstSeen("a", null);
// @ts-expect-error options do not stand where the time does
window.firstSeen("a", { nowMs: 1 });
// @ts-expect-error a lone text is no batch
window.firstSeenMany("abc");
// @ts-expect-error lone bytes are no batch
window.firstSeenMany(new Uint8Array(3));
// @ts-expect-error signed words are no ids
window.firstSeenU64(BigInt64Array.of(7n));
// @ts-expect-error a list is no buffer
window.firstSeenU64([7n]);
// @ts-expect-error offsets are 32- or 64-bit integers
window.firstSeenPacked(new Uint8Array(2), Float64Array.of(0, 2));
// @ts-expect-error offsets must be given
window.firstSeenPacked(new Uint8Array(2));
// @ts-expect-error verdicts are read only
window.check("a").kind = "first";
// @ts-expect-error the lease must be given
window.claim("a", {});
// @ts-expect-error the loss must be named
Window.bloom({ windowMs: 60_000, expectedIds: 1_000 });
// @ts-expect-error a Bloom filter forgets nothing before its time
Window.bloom({ windowMs: 60_000, expectedIds: 1_000, falseDropRate: 0.01, onFull: "evict_oldest" });

const text: string = openMetrics({ window, sequences }, 5);
// As prom-client's own types have it.
registerMetrics(client, { window }, { registry: new client.Registry() });
// @ts-expect-error a list is no object of names
openMetrics([window]);

// @ts-expect-error the width must be given
new Sequences({});
// @ts-expect-error a misspelt option
new Sequences({ width: 64, idle: 5 });
// @ts-expect-error a number is no text
sequences.firstSeen("p", "1");
// @ts-expect-error the epoch is an option
sequences.firstSeen("p", 1, 0);
// @ts-expect-error a later stage brings it
sequences.snapshot();

const planned: Plan = plan({ ratePerSecond: 1_000, windowMs: 600_000, budgetBytes: 2 ** 20 });
const fitting: number | null = planned.bloom?.fittingWindowMs ?? planned.exact.fittingWindowMs;

// @ts-expect-error the window must be given
plan({ ratePerSecond: 1_000 });
// @ts-expect-error a misspelt option
plan({ ratePerSecond: 1_000, windowMs: 5, budget: 5 });
// @ts-expect-error plans are read only
planned.recommended = "exact";

export { age, bytes, code, figures, first, fitting, gap, many, marks, numbered, payload, stats, text };
