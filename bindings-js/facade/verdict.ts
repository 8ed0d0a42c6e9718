import type { Verdict, VerdictKind } from "../firstseen";

const verdict = (kind: VerdictKind, acknowledge: boolean, ageMs: number | null = null, leaseLeftMs: number | null = null): Verdict =>
  Object.freeze({ kind, first: kind === "first", acknowledge, ageMs, leaseLeftMs });

const FIRST = verdict("first", false);
const LATE = verdict("late", true);
const PROBABLE = verdict("probable_duplicate", true);

/**
 * The verdict of an engine's answer: the age of a duplicate; half less than its negative for a conflict; -2 for `first`, -3 for
 * `late`, -4 for `probable_duplicate`; ten less than the negative of the lease left for what is in flight.
 */
export function verdictOf(answer: number): Verdict {
  if (answer >= 0) return verdict("duplicate", true, answer);
  if (answer === -2) return FIRST;
  if (answer === -3) return LATE;
  if (answer === -4) return PROBABLE;
  if (Number.isInteger(answer)) return verdict("in_flight", false, null, -answer - 10);
  return verdict("conflict", false, -answer - 0.5);
}

export const isFirst = (answer: number): boolean => answer === -2;

/** Arrays that are made this long or longer are hash tables. */
const HASHED = 2 ** 25;

/** The first `count` marks, 1 for an id that is first, as booleans. */
export function firstsOf(marks: Uint8Array, count: number): boolean[] {
  const firsts = new Array<boolean>(count < HASHED ? count : 0);
  for (let index = 0; index < count; index++) firsts[index] = marks[index] === 1;
  return firsts;
}

/** The first `count` marks, copied. */
export const marksOf = (marks: Uint8Array, count: number): Uint8Array => marks.slice(0, count);
