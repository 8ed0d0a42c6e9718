import { facade } from "../../bindings-js/facade/index";
import { nativeEngine } from "./engine";

export { FirstSeenError } from "../../bindings-js/facade/index";
const { Window: made, fingerprint: print } = facade(nativeEngine());
// Under other names here, or the bundler would rename the class itself.
export { made as Window, print as fingerprint };
