import { readFileSync } from "node:fs";
import { join } from "node:path";
import { initSync } from "./init";

export * from "./api";

initSync({ module: readFileSync(join(__dirname, "firstseen.wasm")) });
