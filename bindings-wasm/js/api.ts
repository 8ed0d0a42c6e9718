import { facade } from "../../bindings-js/facade/index";
import { wasmEngine } from "./engine";

export { FirstSeenError } from "../../bindings-js/facade/index";
export const { Window, fingerprint } = facade(wasmEngine);
