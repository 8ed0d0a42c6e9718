import { facade } from "../../bindings-js/facade/index";
import { nativeEngine } from "./engine";

export { FirstSeenError, InFlight } from "../../bindings-js/facade/index";
const { Window: made, Sequences: numbered, fingerprint: print, fingerprintJson: printJson, openMetrics: text, plan: planned, registerMetrics: register } = facade(nativeEngine());
// Under other names here, or the bundler would rename the classes themselves.
export { made as Window, numbered as Sequences, print as fingerprint, printJson as fingerprintJson, text as openMetrics, planned as plan, register as registerMetrics };
