// Makes dist/ of the facade and js/. The addon itself lies beside this file: `cargo xtask build-node` puts it there.

import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { bundle, prepare, testing, wrap } from "../bindings-js/build.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const dist = prepare(here);
await bundle(dist, { index: join(here, "js", "index.ts") }, "cjs");
wrap(dist, "index.js", "index.cjs");
await testing(dist);
