import type { Stats } from "../firstseen";

/** In the order in which the engine leaves them. */
const NAMES = [
  "checked",
  "first",
  "duplicate",
  "probableDuplicate",
  "inFlight",
  "late",
  "rejected",
  "expired",
  "evicted",
  "forgotten",
  "leasesExpired",
  "clockRegressions",
  "clockResets",
  "held",
  "pending",
  "maxIds",
  "memoryBytes",
  "windowMs",
  "bucketMs",
  "buckets",
  "effectiveWindowMs",
  "oldestAgeMs",
  "fillRatio",
  "estimatedFalseDropRate",
] as const satisfies readonly (keyof Stats)[];

/** NaN stands for none. */
export function statsOf(answers: Float64Array): Stats {
  const entries = NAMES.map((name, index) => [name, Number.isNaN(answers[index]) ? null : answers[index]]);
  return Object.freeze(Object.fromEntries(entries) as Stats);
}
