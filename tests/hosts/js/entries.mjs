// The names under which firstseen-wasm is imported where it is not simply `firstseen-wasm` in Node.

import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Pages and bundlers: the module is found beside the glue. */
export const BROWSER = "firstseen-wasm";

/** Hosts that hand over a compiled module: `initSync({ module })` comes first. */
export const WORKER = "firstseen-wasm/worker";

/** The module itself. */
export const MODULE = "firstseen-wasm/firstseen.wasm";

/** A file of the package that is installed in `folder`, by its public name. */
export function fileOf(folder, name) {
  return createRequire(join(folder, "entry.cjs")).resolve(name);
}

export const read = (path) => readFileSync(path);

const common = {
  bundle: true,
  format: "esm",
  target: "es2022",
  write: false,
  logLevel: "warning",
  alias: { "#conformance": fileURLToPath(new URL("conformance.mjs", import.meta.url)) },
};

/** One module of `source` and all that it imports from what is installed in `folder`. */
export async function bundle(source, folder, options) {
  const stdin = { contents: source, resolveDir: folder, sourcefile: "entry.mjs" };
  const { outputFiles } = await build({ ...common, stdin, ...options });
  return outputFiles[0].text;
}

/** The file that a bundler for browsers takes for the package's public name. */
export async function browserFileOf(folder, name) {
  let path;
  const ask = {
    name: "ask",
    setup(bundler) {
      bundler.onStart(async () => {
        ({ path } = await bundler.resolve(name, { kind: "import-statement", resolveDir: folder }));
      });
    },
  };
  await build({ ...common, stdin: { contents: "" }, platform: "browser", plugins: [ask] });
  return path;
}
