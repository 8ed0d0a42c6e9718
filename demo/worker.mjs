// A worker at the edge: the module comes compiled, and the window lives as long as the isolate does.

import module from "firstseen-wasm/firstseen.wasm";
import { Window, initSync } from "firstseen-wasm/worker";

initSync({ module });

let window;

/** Whatever a delivery is to cause. */
function process(payload) {
  if (typeof payload !== "object") throw new TypeError("a delivery without a payload");
}

export default {
  async fetch(request, env) {
    window ??= Window.exact(env.OPTIONS);
    if (request.method !== "POST") return Response.json(window.stats());
    const { headers } = request;
    const payload = await request.json(); // what cannot be read is not recorded
    // Live deliveries leave the time out; here it is the sender's, so that all hosts have the same.
    const verdict = window.observe(headers.get("x-github-delivery"), { nowMs: Number(headers.get("x-sent-ms")) });
    if (verdict.first) process(payload);
    return Response.json({ kind: verdict.kind });
  },
};
