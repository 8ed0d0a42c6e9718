// How a TypeScript user writes it: compiled, strictly, against the declarations of both packages; never run.
// `PACKAGE` is replaced by the package's name.

import { FirstSeenError, InFlight, type Plan, type PromClient, Sequences, Window, fingerprint, fingerprintJson, openMetrics, plan, registerMetrics } from "PACKAGE";

const window = Window.exact({ windowMs: 600_000 });
const full = Window.exact({
  windowMs: 600_000,
  bucketMs: 10_000,
  maxIds: 1_000,
  onFull: "reject",
  secret: new Uint8Array(16),
  clock: () => Date.now(),
  maxStepMs: 3_600_000,
  maxLatenessMs: 60_000,
});
const raw: Window = Window.fromBuckets({ bucketMs: 1_000, buckets: 60, onFull: "evict_oldest", maxIds: 10 });

const first: boolean = window.firstSeen("delivery-1");
const many: boolean[] = window.firstSeenMany(["a", 7, 7n, new Uint8Array([1]), ["tenant", 1n]], 1_000);
const marks: Uint8Array = window.firstSeenU64(new BigUint64Array([1n, 2n]), 1_000);
const packed: Uint8Array = window.firstSeenPacked(new Uint8Array(5), new Int32Array([0, 2, 5]), 1_000);
const verdict = full.observe(["order", 17], { nowMs: 1_000, atMs: 900 });
const kind: "first" | "duplicate" | "late" | "probable_duplicate" | "conflict" | "in_flight" = verdict.kind;
const claim = window.claim("a", { leaseMs: 30_000 });
if (claim.first) claim.commit(); else claim[Symbol.dispose]();
const lost: boolean[] = window.commitMany(window.claimMany(["b"], { leaseMs: 5 }).map((each) => each.token ?? 0));
export const effect = async (): Promise<number | undefined> => {
  try {
    return (await window.once("c", async () => 5, { leaseMs: 30_000, waitMs: 100 })).value;
  } catch (error) {
    if (error instanceof InFlight) return error.leaseLeftMs + lost.length;
    throw error;
  }
};
export const small: Window[] = [
  Window.bloom({ windowMs: 60_000, expectedIds: 1_000, falseDropRate: 0.01, onFull: "degrade" }),
  Window.cuckoo({ windowMs: 60_000, expectedIds: 1_000, falseDropRate: 0.01 }),
];
const age: number | null = verdict.ageMs;
const decisions: boolean[] = [verdict.first, verdict.acknowledge];
const kinds: string[] = raw.observeMany(["a"], 1).map((each) => each.kind);
const checked: string[] = raw.checkMany(["a"]).map((each) => each.kind);
const reads: boolean[] = [raw.check("a", 5).first, raw.has("a"), raw.forget(new ArrayBuffer(8))];
raw.advance(10);
raw.advance();
raw.clear();
const size: number = raw.size;
const stats = raw.stats(10);
const cap: number | null = stats.maxIds;
const effective: number = stats.effectiveWindowMs;
const print: Uint8Array = fingerprint("delivery-1", { secret: new Uint8Array(16) });
const payload: Uint8Array = fingerprintJson(new Uint8Array(2), { only: ["/id"] });

const sequences = new Sequences({ width: 64, maxProducers: 1_000, idleMs: 60_000 });
const numbered: boolean = sequences.firstSeen("sensor-1", 17, { epoch: 1n, nowMs: 5 });
const gap: number | bigint | null = sequences.observe(["tenant", 7], 18n).gap;
const producers: (number | null)[] = [sequences.size, sequences.stats(5).maxProducers];

const planned: Plan = plan({ ratePerSecond: 1_000, windowMs: 600_000, budgetBytes: 2 ** 20, falseDropRate: undefined });
const sizes: (number | null)[] = [planned.expectedIds, planned.exact.bytes, planned.bloom && planned.bloom.fittingWindowMs];
const choice: "exact" | "cuckoo" | "bloom" | null = planned.recommended;

try {
  window.firstSeen("");
} catch (error) {
  if (error instanceof FirstSeenError) {
    const code: string = error.code;
    const message: string = error.message;
    void [code, message];
  }
}

// @ts-expect-error a misspelt option
Window.exact({ windowMs: 1, bukketMs: 1 });
// @ts-expect-error the window is required
Window.exact({});
// @ts-expect-error a policy that does not exist
Window.exact({ windowMs: 1, onFull: "explode" });
// @ts-expect-error null is no id
window.firstSeen(null);
// @ts-expect-error a boolean is no id
window.firstSeen(true);
// @ts-expect-error a lone text is no batch
window.firstSeenMany("abc");
// @ts-expect-error a list of integers is no buffer of them
window.firstSeenU64([1n, 2n]);
// @ts-expect-error packed ids need their offsets
window.firstSeenPacked(new Uint8Array(5), 1_000);
// @ts-expect-error a time is a number
window.firstSeen("a", new Date());
// @ts-expect-error a verdict is read, not written
verdict.kind = "first";

declare const client: PromClient;
const text: string = openMetrics({ payments: window, sensors: sequences }, 5);
registerMetrics(client, { payments: window }, { registry: client.register });
// @ts-expect-error a window needs a name
openMetrics(window);
// @ts-expect-error figures are no window
openMetrics({ payments: window.stats() });

// @ts-expect-error the width is required
new Sequences({ idleMs: 5 });
// @ts-expect-error a seq is no text
sequences.firstSeen("sensor-1", "17");

export { age, cap, checked, decisions, effective, first, gap, kind, kinds, many, marks, numbered, packed, print, producers, reads, size, text };
