// A control plane that the gate can never reach or trust by this URL is a mistake; one that the same URL may reach later is away.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { DAY_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { makeCertificate } from "../egress/certificate.ts";
import { answerWith } from "./front.ts";
import { listenOn } from "./gate-world.ts";
import { startMistakenWorld } from "./mistaken-world.ts";

const world = await startMistakenWorld();

async function listenWith(certificate: ReturnType<typeof makeCertificate>): Promise<string> {
  const server = createServer(certificate, answerWith(503));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

const known = makeCertificate("localhost");
const elsewhere = makeCertificate("elsewhere.test");
const expired = makeCertificate("localhost", Date.now() - 2 * DAY_MS);
setDefaultCACertificates([...getCACertificates(), known.cert, elsewhere.cert, expired.cert]);

const MISTAKEN: Readonly<Record<string, readonly [() => Promise<string>, RegExp]>> = {
  "a port that fetch blocks": [async () => "http://127.0.0.1:6000", /:6000, whose port is blocked$/],
  "a certificate of another name": [() => listenWith(elsewhere), /certificate is not trusted: .*altnames/],
  "a certificate that nobody trusts": [
    () => listenWith(makeCertificate("localhost")),
    /certificate is not trusted: self-signed/,
  ],
  "what does not know the request (501)": [async () => (await listenOn(answerWith(501))).url, /which answers 501$/],
  "a network that wants a login (511)": [async () => (await listenOn(answerWith(511))).url, /which answers 511$/],
};

for (const [what, [start, expected]] of Object.entries(MISTAKEN)) {
  test(`${what} is a mistake of the server setting`, async () => {
    const { gate, ask } = await world.protectedBy({ server: await start(), whenNoBundle: "open" });
    await assert.rejects(gate.ready, (error: Error) => {
      assert.match(error.message, /^createGate: server: expected the URL of a control plane for this gate, got /);
      assert.match(error.message, expected);
      return true;
    });
    assert.equal((await ask("/")).status, 403);
  });
}

for (const [what, certificate, reason] of [
  ["that is trusted", known, /503/],
  ["that has expired", expired, /expired/],
] as const) {
  test(`a control plane that is away behind a certificate ${what} is an outage`, async () => {
    const { gate, ask } = await world.protectedBy({ server: await listenWith(certificate), whenNoBundle: "open" });
    assert.match((await gate.ready).reason ?? "", reason);
    assert.deepEqual([(await ask("/")).status, gate.health().projects[0]?.problemKind], [200, "outage"]);
  });
}

test("407 is an outage: the fetch standard has it look like a connection that failed", async () => {
  const { url } = await listenOn(answerWith(407));
  const { gate } = await world.protectedBy({ server: url });
  assert.equal((await gate.ready).protected, false);
  assert.equal(gate.health().projects[0]?.problemKind, "outage");
});
