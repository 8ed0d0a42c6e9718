export { type Engine, OTHERWISE } from "./engine";
export { FirstSeenError } from "./error";
export { facade } from "./window";
