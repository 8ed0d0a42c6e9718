// A webhook receiver in Node. Each delivery is a POST; the answer says whether it was processed.
// `node receiver.mjs OPTIONS` (the window's, as JSON) prints the port and serves until its input ends.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { argv, env, stdin } from "node:process";
import { Window } from "firstseen";

const window = Window.exact(JSON.parse(argv[2]));

/** Before anything else: who may send what he likes may also send the id of what is still to come. */
function isSigned(body, signature) {
  const wanted = Buffer.from(`sha256=${createHmac("sha256", env.WEBHOOK_SECRET).update(body).digest("hex")}`);
  const given = Buffer.from(signature ?? "");
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

let processed = 0;

/** Whatever a delivery is to cause. */
function process(event, payload) {
  if (typeof payload !== "object") throw new TypeError(`a ${event} without a payload`);
  processed += 1;
}

function receive(headers, body) {
  if (!isSigned(body, headers["x-hub-signature-256"])) return [401, { error: "bad signature" }];
  const id = headers["x-github-delivery"];
  // A receiver of live deliveries leaves the time out; here it is the sender's, so that all hosts have the same.
  const verdict = window.observe(id, { nowMs: Number(headers["x-sent-ms"]) });
  if (verdict.first) {
    try {
      process(headers["x-github-event"], JSON.parse(body));
    } catch (error) {
      // It comes again, and must be first then.
      window.forget(id);
      return [500, { error: error.message }];
    }
  }
  return [200, { kind: verdict.kind }];
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    let status = 200;
    let answer = { ...window.stats(), processed };
    if (request.method === "POST") {
      try {
        [status, answer] = receive(request.headers, Buffer.concat(chunks));
      } catch (error) {
        // A `FirstSeenError`, such as `empty_id`, `invalid_id`: the sender's mistake, and nothing was recorded.
        [status, answer] = [400, { error: error.code ?? error.message }];
      }
    }
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(answer));
  });
});

server.listen(0, "127.0.0.1", () => console.log(server.address().port));
stdin.on("end", () => server.close(() => server.closeAllConnections())).resume();
