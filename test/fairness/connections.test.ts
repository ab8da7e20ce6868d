// Connections that others hold without using them: forms that never end, heads that never end, and responses that nobody reads.
import { test } from "node:test";
import { allowedConnections } from "../faults/open-files.ts";
import { waitFor } from "../harness/wait-for.ts";
import { startFairServer } from "./quiet-tenant.ts";
import { keepOpen } from "./raw-clients.ts";

const MAX = allowedConnections(900);
const fair = await startFairServer({ maxConnections: String(MAX) });

const FORM = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000";
const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${FORM}\r\n\r\nname=`;

const ATTACKS: readonly (readonly [name: string, bytes: string])[] = [
  ["an exchange of tokens whose form does not end", post("/v1/identity/exchange")],
  ["a request for a token whose form does not end", post("/oauth/token")],
  ["a sign-in whose form does not end", post("/console/sign-in")],
  ["a mail link whose form does not end", post("/mail/stop/unknown")],
  ["a head that does not end", "GET /v2/user HTTP/1.1\r\nHost: 127.0.0.1\r\n"],
  ["nothing", ""],
  [
    "requests behind one whose form does not end",
    `${"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(2)}${post("/oauth/token")}`,
  ],
];

for (const [name, bytes] of ATTACKS) {
  test(`more connections than there may be, each with ${name}`, async () => {
    await fair.holds(async () => {
      const opened = await keepOpen(fair.port, Math.ceil(MAX * 1.1), bytes);
      return opened.close;
    });
  });
}

test("connections that read no response", async () => {
  await fair.holds(async () => {
    const opened = await keepOpen(fair.port, MAX, "");
    for (const socket of opened.sockets) {
      socket.pause();
      socket.write("GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(8));
    }
    // The burst itself is work; what counts is what stays. While all others are in work, the connection that gives way to one that is opened
    // again is this one, because its request has not been read yet: then fetch fails.
    let served = 0;
    await waitFor("the burst to be over", async () => {
      const isServed = await fetch(`${fair.url}/health/live`, { headers: { connection: "close" } }).then(
        ({ ok }) => ok,
        () => false,
      );
      served = isServed ? served + 1 : 0;
      return served === 20;
    });
    return opened.close;
  });
});
