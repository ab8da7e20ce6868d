// Connections that others hold without using them.
import { test } from "node:test";
import { allowedConnections } from "../faults/open-files.ts";
import { startFairServer } from "./quiet-tenant.ts";
import { keepOpen } from "./raw-clients.ts";

const MAX = allowedConnections(900);
const fair = await startFairServer({ maxConnections: String(MAX) });

const ATTACKS: readonly (readonly [name: string, bytes: string])[] = [
  ["a head that does not end", "GET /v2/user HTTP/1.1\r\nHost: 127.0.0.1\r\n"],
  ["nothing", ""],
];

for (const [name, bytes] of ATTACKS) {
  test(`more connections than there may be, each with ${name}`, async () => {
    await fair.holds(async () => {
      const opened = await keepOpen(fair.port, Math.ceil(MAX * 1.1), bytes);
      return opened.close;
    });
  });
}
