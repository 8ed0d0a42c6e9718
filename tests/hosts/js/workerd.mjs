// The WASM package in workerd: the worker imports the package's worker entry and gets the module compiled.

import { Miniflare } from "miniflare";
import { MODULE, WORKER, bundle, fileOf, read } from "./entries.mjs";
import { commandLine, runAll } from "./files.mjs";
import { installAlone, remove } from "./install.mjs";

const HOST = "wasm-workerd";

const WORKER_SOURCE = `
  import { FirstSeenError, Sequences, Window, fingerprint, fingerprintJson, initSync, openMetrics, plan } from ${JSON.stringify(WORKER)};
  import { runSuite } from "#conformance";
  import module from "./firstseen.wasm";

  initSync({ module });

  export default {
    async fetch(request) {
      const file = await request.json();
      return Response.json(runSuite({ FirstSeenError, Sequences, Window, fingerprint, fingerprintJson, openMetrics, plan }, [file], { host: ${JSON.stringify(HOST)} }));
    },
  };
`;

const { tarball, paths } = commandLine();
const folder = installAlone(tarball);
let host;
try {
  const text = await bundle(WORKER_SOURCE, folder, {
    platform: "neutral",
    conditions: ["workerd", "worker", "import"],
    external: ["./firstseen.wasm"],
  });
  host = new Miniflare({
    modules: [
      { type: "ESModule", path: "main.mjs", contents: text },
      { type: "CompiledWasm", path: "firstseen.wasm", contents: read(fileOf(folder, MODULE)) },
    ],
    compatibilityDate: "2025-01-01",
    // Otherwise it looks up a public host for what a request of a real edge carries.
    cf: false,
  });
  await runAll(HOST, paths, async (file) => {
    const answer = await host.dispatchFetch("http://worker/", { method: "POST", body: JSON.stringify(file) });
    const body = await answer.text();
    if (!answer.ok) throw new Error(`the worker answered ${answer.status}: ${body}`);
    return JSON.parse(body);
  });
} finally {
  await host?.dispose();
  remove(folder);
}
