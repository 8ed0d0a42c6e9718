import type { Verdict } from "../firstseen";

const FIRST: Verdict = Object.freeze({ kind: "first", first: true, acknowledge: false, ageMs: null });
const LATE: Verdict = Object.freeze({ kind: "late", first: false, acknowledge: true, ageMs: null });

/** The verdict of an engine's answer: the age of a duplicate, -2 for `first`, -3 for `late`. */
export function verdictOf(answer: number): Verdict {
  if (answer >= 0) return Object.freeze({ kind: "duplicate", first: false, acknowledge: true, ageMs: answer });
  return answer === -2 ? FIRST : LATE;
}

export const isFirst = (answer: number): boolean => answer === -2;
