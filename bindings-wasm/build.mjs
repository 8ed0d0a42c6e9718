// Makes dist/ of the facade, js/ and pkg/firstseen_bg.wasm, which `cargo xtask build-wasm` makes.

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle, prepare, testing, wrap } from "../bindings-js/build.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const source = (name) => join(here, "js", name);
const dist = prepare(here);
copyFileSync(join(here, "pkg", "firstseen_bg.wasm"), join(dist, "firstseen.wasm"));
copyFileSync(join(here, "worker.d.ts"), join(dist, "worker.d.ts"));
await bundle(dist, { node: source("node.ts") }, "cjs");
wrap(dist, "node.js", "node.cjs");
await bundle(dist, { browser: source("browser.ts"), worker: source("worker.ts") }, "esm");
await testing(dist);
