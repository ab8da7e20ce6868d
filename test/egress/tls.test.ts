// Receivers behind TLS: a server that is not the one of the URL gets nothing.
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { DAY_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { makeCertificate } from "./certificate.ts";
import { startNameServer } from "./name-server.ts";
import { httpResponse, startReceiver } from "./receiver.ts";
import type { Receiver } from "./receiver.ts";
import { openSender, describeOutcome } from "./sender.ts";

const NAME = "hooks.example.com";

const names = await startNameServer(({ type }) => (type === "A" ? [{ type: "A", value: "127.0.0.1" }] : []));
const known = makeCertificate(NAME);
const outdated = makeCertificate(NAME, Date.now() - 2 * DAY_MS);
setDefaultCACertificates([...getCACertificates("default"), known.cert, outdated.cert]);

const { send: sendPatiently } = openSender({ dnsServers: [names.address] });
const { send: sendHastily } = openSender({ connectTimeoutMs: 200 });

const respondOk = (socket: { write(text: string): void }) => socket.write(httpResponse(200, "ok"));

const send = async ({ port }: Receiver, name = NAME) =>
  describeOutcome(await sendPatiently({ url: `https://${name}:${port}/hook` }));

describe("TLS", () => {
  test("with a certificate for the URL's name is trusted, and the connection is used again", async () => {
    const receiver = await startReceiver(respondOk, { tls: known });
    for (let round = 0; round < 10; round++) assert.equal(await send(receiver), "200");
    // Two are allowed: the next request may begin before the connection of the last one is idle.
    assert.ok(receiver.connections <= 2, `${receiver.connections} connections`);
    // A dot at the end does not change the name.
    assert.equal(await send(receiver, `${NAME}.`), "200");
  });

  test("with an untrusted certificate, or one that is for another name or expired, gets nothing", async () => {
    const selfSigned = await startReceiver(respondOk, { tls: makeCertificate(NAME) });
    const other = await startReceiver(respondOk, { tls: known });
    const old = await startReceiver(respondOk, { tls: outdated });
    // Twice, since a refused session must not be resumed.
    for (let round = 0; round < 2; round++) {
      assert.match(await send(selfSigned), /^tls: TLS failed: self-signed certificate/);
      assert.match(await send(other, "other.example.com"), /^tls: TLS failed: Host: other.example.com. is not/);
      assert.match(await send(other, "127.0.0.1"), /^tls: TLS failed: IP: 127.0.0.1 is not/);
      assert.match(await send(old), /^tls: TLS failed: certificate has expired/);
    }
    assert.deepEqual([...selfSigned.requests, ...other.requests, ...old.requests], []);
  });

  test("sends the name of the URL as SNI, and none for an address", async () => {
    const asked: string[] = [];
    const SNICallback = (name: string, done: (error: null) => void) => {
      asked.push(name);
      done(null);
    };
    const receiver = await startReceiver(respondOk, { tls: { ...known, SNICallback } });
    await send(receiver);
    await send(receiver, `${NAME}.`);
    await send(receiver, "127.0.0.1");
    assert.deepEqual(asked, [NAME, NAME]);
  });

  test("fails at the stage of TLS without it: plain text, silence, a closed connection, a request for our certificate", async () => {
    for (const end of [(socket: Socket) => socket.end(httpResponse(200)), (socket: Socket) => socket.destroy()]) {
      assert.match(await send(await startReceiver(() => {}, { onConnection: end })), /^tls: TLS failed: /);
    }
    const silent = await startReceiver(() => {});
    const hasty = await sendHastily({ url: `https://127.0.0.1:${silent.port}/` });
    assert.match(describeOutcome(hasty), /^(?:connect|tls): no connection within 0.2 s$/);
    const demanding = await startReceiver(respondOk, {
      tls: { ...known, requestCert: true, rejectUnauthorized: true },
    });
    // It may ask only after the handshake.
    assert.match(await send(demanding), /^(?:tls|response): /);
    assert.deepEqual(demanding.requests, []);
  });

  test("does not depend on environment variables that disable verification", async () => {
    const receiver = await startReceiver(respondOk, { tls: makeCertificate(NAME) });
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    try {
      assert.match(await send(receiver), /^tls: TLS failed: self-signed certificate/);
    } finally {
      delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    }
  });
});
