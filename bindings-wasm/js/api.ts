import { facade } from "../../bindings-js/facade/index";
import { wasmEngine } from "./engine";

export { FirstSeenError } from "../../bindings-js/facade/index";
const { Window: made, fingerprint: print } = facade(wasmEngine);
// Under other names here, or the bundler would rename the class itself.
export { made as Window, print as fingerprint };
