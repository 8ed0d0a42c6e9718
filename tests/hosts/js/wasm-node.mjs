// The WASM package in Node, installed alone from its tarball; no initialisation call.

import { runInNode } from "./in-node.mjs";

await runInNode("wasm-node", "firstseen-wasm");
