import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { folder, isWasm, name } from "./package.mjs";

const { build } = createRequire(new URL("../../bindings-js/x.cjs", import.meta.url))("esbuild");

const CALLS = `
  const w = Window.exact({ windowMs: 60_000 });
  console.log(Window.name, w.firstSeen("a"), w.firstSeen("a"), fingerprint("a").length, new FirstSeenError("full", "x").code);
`;

const SOURCES = {
  import: `import { FirstSeenError, Window, fingerprint } from ${JSON.stringify(name)}; ${CALLS}`,
  require: `const { FirstSeenError, Window, fingerprint } = require(${JSON.stringify(name)}); ${CALLS}`,
  both: `
    import { FirstSeenError, Window, fingerprint } from ${JSON.stringify(name)};
    if (require(${JSON.stringify(name)}).Window !== Window) throw new Error("two classes");
    ${CALLS}`,
};

/** What a bundle prints that lies alone in a folder. */
async function printed(contents, options) {
  const place = mkdtempSync(join(tmpdir(), "firstseen-bundle-"));
  try {
    const stdin = { contents, resolveDir: folder, sourcefile: "entry.js" };
    const { outputFiles } = await build({ stdin, bundle: true, platform: "node", write: false, logLevel: "silent", ...options });
    assert.equal(outputFiles.length, 1);
    const file = join(place, options.format === "esm" ? "main.mjs" : "main.cjs");
    writeFileSync(file, outputFiles[0].text);
    return execFileSync(process.execPath, [file], { cwd: place, encoding: "utf8" });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

test("a bundle for Node needs nothing beside it", { skip: !isWasm }, async () => {
  for (const format of ["esm", "cjs"]) {
    for (const [kind, source] of Object.entries(SOURCES)) {
      for (const minify of [false, true]) {
        assert.equal(await printed(source, { format, minify }), "Window true false 16 full\n", `${kind} as ${format}`);
      }
    }
  }
});
