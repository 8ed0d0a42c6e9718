// The native package, installed alone from its tarball.

import { runInNode } from "./in-node.mjs";

await runInNode("node", "firstseen");
