// `checkRateLimit` of @vercel/firewall, unmodified: an application behind a gate asks by its public host, over TLS.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { after, it, mock } from "node:test";
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from "node:tls";
import { makeCertificate } from "../../egress/certificate.ts";
import { SILENT, listenOn, sendTo, startGateWorld } from "../../gate/gate-world.ts";

interface Firewall {
  checkRateLimit(
    id: string,
    options: { readonly headers: Record<string, string>; readonly rateLimitKey?: string },
  ): Promise<{ readonly rateLimited: boolean; readonly error?: string }>;
}
// It is installed with the other clients, and not when types are checked.
const { checkRateLimit } = createRequire(import.meta.url)("@vercel/firewall") as Firewall;

const SECRET = "a secret of sixteen or more";
Object.assign(process.env, { NODE_ENV: "production", RATE_LIMIT_SECRET: SECRET });

const certificate = makeCertificate("localhost");
setDefaultCACertificates([...getCACertificates(), certificate.cert]);

const world = await startGateWorld();
const { team } = world;
const named = (id: string, mitigate: object) => ({
  name: id,
  active: true,
  conditionGroup: [{ conditions: [{ type: "rate_limit_api_id", op: "eq", value: id }] }],
  action: { mitigate },
});
const rateLimit = { algo: "fixed_window", window: 3_600, limit: 2, keys: ["ip"], action: "rate_limit" };
const project = await world.newProject({
  firewallEnabled: true,
  rules: [named("login", { action: "rate_limit", rateLimit }), named("closed", { action: "deny" })],
});

/** Serves what the client says about the id and the key in its query. */
const application = await listenOn((request, response) => {
  const { searchParams } = new URL(request.url ?? "", "http://application");
  const key = searchParams.get("key");
  const options = { headers: request.headers as Record<string, string>, ...(key !== null && { rateLimitKey: key }) };
  checkRateLimit(searchParams.get("id") ?? "", options).then(
    (result) => response.end(JSON.stringify(result)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});
const gate = await world.startGate(
  { hosts: [{ host: "localhost", team: team.slug, project }], upstream: application.url, rateLimitSecret: SECRET },
  { log: SILENT },
);

/** Ends TLS in front of the gate. */
const front = createTlsServer(certificate, (socket) => {
  const toGate = connect(Number(new URL(gate.url).port), "127.0.0.1");
  socket.on("error", () => toGate.destroy());
  toGate.on("error", () => socket.destroy());
  socket.pipe(toGate).pipe(socket);
});
front.listen(0, "127.0.0.1");
await once(front, "listening");
after(() => front.close());
const host = `localhost:${(front.address() as AddressInfo).port}`;

async function ask(query: string, ip: string): Promise<unknown> {
  const { text } = await sendTo(gate.url, `/?${query}`, { headers: { host, "x-forwarded-for": ip } });
  return JSON.parse(text);
}

it("counts by the address of the visitor", async () => {
  const found: unknown[] = [];
  for (let at = 0; at < 3; at++) found.push(await ask("id=login", "203.0.113.7"));
  assert.deepEqual(found, [{ rateLimited: false }, { rateLimited: false }, { rateLimited: true }]);
  assert.deepEqual(await ask("id=login", "203.0.113.8"), { rateLimited: false });
});

it("counts by the key that the application chooses", async () => {
  const found: unknown[] = [];
  for (let at = 0; at < 3; at++) found.push(await ask("id=login&key=user-1", `203.0.113.${20 + at}`));
  assert.deepEqual(found, [{ rateLimited: false }, { rateLimited: false }, { rateLimited: true }]);
});

it("says what is blocked, and which id no rule has", async () => {
  assert.deepEqual(await ask("id=closed", "203.0.113.7"), { rateLimited: true, error: "blocked" });
  mock.method(console, "warn", () => {});
  assert.deepEqual(await ask("id=unknown", "203.0.113.7"), { rateLimited: false, error: "not-found" });
});
