// A case of sequences, step by step.

import { idOf, plainOf } from "./values.mjs";

const STATS = [
  "checked", "first", "duplicate", "stale", "fenced", "gaps", "expired", "evicted", "forgotten", "clockRegressions",
  "clockResets", "held", "maxProducers", "memoryBytes", "width", "idleMs",
];

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

/** A seq or an epoch: digits, or a tagged value that is none. */
const numberOf = (value, form) => (typeof value === "string" ? form.integer(BigInt(value)) : plainOf(value));

/** A verdict as the vectors write it, after a look at what follows from its kind. */
function record({ kind, first, acknowledge, gap }) {
  const isFirst = kind === "first";
  if (first !== isFirst || acknowledge === isFirst || (gap === null) === isFirst) {
    throw new Error(`a verdict ${kind} with first ${first}, acknowledge ${acknowledge}, gap ${gap}`);
  }
  if (!isFirst) return { kind };
  // A bigint exactly where a number could not be trusted.
  if ((typeof gap === "bigint") !== (BigInt(gap) > BigInt(Number.MAX_SAFE_INTEGER))) throw new Error(`the gap is a ${typeof gap}`);
  return { kind, gap: String(gap) };
}

function named(stats, wanted) {
  const names = Object.keys(stats);
  if (names.join() !== STATS.join()) throw new Error(`stats have ${names.join()}`);
  return Object.fromEntries(Object.keys(wanted).map((name) => [name, stats[camel(name)]]));
}

function call(sequences, step, form) {
  if (step.call === "len") return sequences.size;
  if (step.call === "stats") {
    const stats = step.now === undefined ? sequences.stats() : sequences.stats(plainOf(step.now));
    return named(stats, step.returns ?? {});
  }
  const producer = idOf(step.producer, form);
  if (step.call === "forget") return sequences.forget(producer);
  const options = {};
  if (step.epoch !== undefined) options.epoch = numberOf(step.epoch, form);
  if (step.now !== undefined) options.nowMs = plainOf(step.now);
  const given = Object.keys(options).length === 0 ? [] : [options];
  const seq = numberOf(step.seq, form);
  if (step.call === "first_seen") return sequences.firstSeen(producer, seq, ...given);
  if (step.call === "observe") return record(sequences.observe(producer, seq, ...given));
  throw new Error(`no call \`${step.call}\``);
}

/** What is wrong with a case; `outcome` runs a call, and `show` writes a value as text. */
export function sequencesDiffer(api, test, form, { outcome, show }) {
  const made = outcome(api, () => makeSequences(api, test.sequences));
  if (made.error !== undefined || test.error !== undefined) {
    if (made.error === test.error) return undefined;
    return { step: "constructor", got: made.error ?? "sequences", want: test.error ?? "sequences" };
  }
  return stepsDiffer(api, made.returns, test.steps, form, { outcome, show });
}

/** Sequences after the steps of a part of a case. */
export function sequencesAfter(api, { sequences: options, steps }, form, tools) {
  const sequences = makeSequences(api, options);
  const wrong = stepsDiffer(api, sequences, steps, form, tools);
  if (wrong) throw new Error(JSON.stringify(wrong));
  return sequences;
}

function makeSequences(api, options) {
  const entries = Object.entries(options).map(([name, value]) => [camel(name), plainOf(value)]);
  return new api.Sequences(Object.fromEntries(entries));
}

function stepsDiffer(api, sequences, steps, form, { outcome, show }) {
  for (const [number, step] of steps.entries()) {
    const { returns, error } = outcome(api, () => call(sequences, step, form));
    const [got, want] = [show(error ?? returns), show(step.error ?? step.returns)];
    if (got !== want) return { step: `${number} ${show(step)}`, got, want };
  }
  return undefined;
}
