export { type Engine, OTHERWISE } from "./engine";
export { FirstSeenError } from "./error";
export { InFlight } from "./claims";
export { facade } from "./window";
