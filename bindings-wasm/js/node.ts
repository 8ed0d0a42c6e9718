// Within this file, and read by nothing of Node's: so any bundler takes it, into an ES module too.
import module from "../pkg/firstseen_bg.wasm";
import { initSync } from "./init";

export * from "./api";

initSync({ module });
