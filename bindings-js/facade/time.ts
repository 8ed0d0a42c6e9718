/** How a call's time is meant: told by the caller, read from a clock, or neither. */
export const TOLD = 0;
export const CLOCKED = 1;
export const UNSAID = 2;
