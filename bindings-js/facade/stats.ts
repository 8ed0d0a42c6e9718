import type { Stats } from "../firstseen";

/** In the order in which the engine leaves them. */
export const WINDOW_FIGURES = [
  "checked",
  "first",
  "duplicate",
  "conflict",
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

export const statsOf = (answers: Float64Array): Stats => figuresOf<Stats>(WINDOW_FIGURES, answers);

/** NaN stands for none. */
export function figuresOf<T>(names: readonly string[], answers: Float64Array): T {
  const entries = names.map((name, index) => [name, Number.isNaN(answers[index]) ? null : answers[index]]);
  return Object.freeze(Object.fromEntries(entries) as T);
}
