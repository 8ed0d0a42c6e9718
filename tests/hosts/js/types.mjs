// `node types.mjs TARBALL TARBALL`: compiles usage.ts in strict TypeScript against the declarations of each
// installed package, as an ES module and as CommonJS.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { here } from "./files.mjs";
import { installAlone, remove } from "./install.mjs";

const PACKAGES = ["firstseen", "firstseen-wasm"];

// As it would stand in a worker's own code.
const WORKER = `
import { Window, initSync } from "firstseen-wasm/worker";
declare const module: WebAssembly.Module;
initSync({ module });
export const first: boolean = Window.exact({ windowMs: 1_000 }).firstSeen("a");
`;

const strict = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  target: "es2022",
  // Neither package may need @types/node.
  lib: ["es2022", "dom"],
  types: [],
};

const tarballs = process.argv.slice(2);
if (tarballs.length !== PACKAGES.length) throw new Error("usage: node types.mjs TARBALL TARBALL");
const folder = installAlone(...tarballs.map((path) => resolve(path)));
try {
  const usage = readFileSync(join(here, "usage.ts"), "utf8");
  const files = [];
  const add = (name, text) => {
    writeFileSync(join(folder, name), text);
    files.push(name);
  };
  for (const name of PACKAGES) {
    for (const kind of ["mts", "cts"]) add(`${name}.${kind}`, usage.replaceAll("PACKAGE", name));
  }
  add("worker.mts", WORKER);
  let failed = 0;
  const compilers = { nodenext: "nodenext", bundler: "esnext" };
  for (const [moduleResolution, module] of Object.entries(compilers)) {
    const config = join(folder, `tsconfig.${moduleResolution}.json`);
    const mine = moduleResolution === "bundler" ? files.filter((file) => file.endsWith(".mts")) : files;
    writeFileSync(config, JSON.stringify({ compilerOptions: { ...strict, module, moduleResolution }, files: mine }));
    const tsc = join(here, "node_modules", "typescript", "bin", "tsc");
    const { status } = spawnSync(process.execPath, [tsc, "--project", config], { stdio: "inherit", cwd: folder });
    failed += status === 0 ? 0 : 1;
  }
  const all = Object.keys(compilers).length;
  console.log(`tsc: ${all - failed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
} finally {
  remove(folder);
}
