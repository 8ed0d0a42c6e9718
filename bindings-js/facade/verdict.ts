import type { Verdict } from "../firstseen";

const FIRST: Verdict = Object.freeze({ kind: "first", first: true, acknowledge: false, ageMs: null });
const LATE: Verdict = Object.freeze({ kind: "late", first: false, acknowledge: true, ageMs: null });

/** The verdict of an engine's answer: the age of a duplicate, -2 for `first`, -3 for `late`. */
export function verdictOf(answer: number): Verdict {
  if (answer >= 0) return Object.freeze({ kind: "duplicate", first: false, acknowledge: true, ageMs: answer });
  return answer === -2 ? FIRST : LATE;
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
