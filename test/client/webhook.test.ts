// The client verifies what Reeve signs, and nothing else.
import assert from "node:assert/strict";
import { createPrivateKey, createSecretKey } from "node:crypto";
import { test } from "node:test";
import { Headers as UndiciHeaders } from "undici";
import { verifyWebhook } from "../../src/client/webhook.ts";
import { signatureHeaders } from "../../src/events/delivery/signature.ts";
import { createKeyPair, createSigningSecret } from "../../src/events/webhooks/secrets.ts";

const secret = createSigningSecret();
const { privateKey, publicKey } = createKeyPair();
const body = JSON.stringify({ id: "msg_1", type: "team", payload: { name: "Grüße" } });
const NOW = 1_900_000_000_000;

function sign(now: number, secrets: readonly string[] = [secret]): Record<string, string> {
  const key = createPrivateKey({ key: Buffer.from(privateKey, "base64"), format: "der", type: "pkcs8" });
  const keysOf = (text: string) => ({
    text: createSecretKey(Buffer.from(text)),
    bytes: createSecretKey(Buffer.from(text.slice("whsec_".length), "base64")),
  });
  const target = {
    secrets: secrets.map((text) => ({ value: keysOf(text), expiresAt: null })),
    keys: [{ value: key, expiresAt: null }],
  };
  return signatureHeaders(target, "msg_1", now, Buffer.from(body));
}

test("a request is verified by the secret, by the public key, and by any of several", async () => {
  const headers = sign(NOW);
  const parsed = JSON.parse(body) as unknown;
  const other = createSigningSecret();
  for (const known of [secret, publicKey, [other, secret]]) {
    assert.deepEqual(await verifyWebhook({ headers, body, secret: known, now: NOW }), parsed);
    assert.deepEqual(
      await verifyWebhook({ headers: new Headers(headers), body: Buffer.from(body), secret: known, now: NOW }),
      parsed,
    );
  }
  const during = sign(NOW, [other, secret]);
  assert.deepEqual(await verifyWebhook({ headers: during, body, secret, now: NOW }), parsed);
});

test("another secret, another body, another id and another time are refused", async () => {
  const headers = sign(NOW);
  const refuse = async (changed: object, message: RegExp) =>
    await assert.rejects(verifyWebhook({ headers, body, secret, now: NOW, ...changed }), {
      code: "invalid_webhook",
      message,
    });
  const unsigned = /webhook-signature: expected a signature by the secret/;
  await refuse({ secret: createSigningSecret() }, unsigned);
  await refuse({ secret: createKeyPair().publicKey }, unsigned);
  await refuse({ body: `${body} ` }, unsigned);
  await refuse({ headers: { ...headers, "webhook-id": "msg_2" } }, unsigned);
  await refuse({ headers: { ...headers, "webhook-signature": "v1,####" } }, unsigned);
  await refuse({ headers: { ...headers, "webhook-timestamp": String(NOW / 1000 - 1) } }, unsigned);
  await refuse({ headers: { ...headers, "webhook-timestamp": "soon" } }, /webhook-timestamp: expected seconds/);
  await refuse({ headers: {} }, /expected the header webhook-id once/);
  await refuse({ secret: "whsec_" }, /secret: expected the whole whsec_/);
  await refuse({ secret: "whpk_AAAA" }, /secret: expected the whole whpk_/);
  await refuse({ secret: [] }, unsigned);
  // A variable that is not set is a mistake of the program, not of the sender.
  for (const none of ["", [""]]) {
    const problem = { name: "TypeError", message: /^secret: expected whsec_\.\.\. or whpk_/ };
    await assert.rejects(verifyWebhook({ headers, body, secret: none, now: NOW }), problem);
  }
  await refuse({ toleranceMs: Number.NaN }, /webhook-timestamp: expected a time/);
  await refuse({ now: Number.NaN }, /webhook-timestamp: expected a time/);
  const many = `${"v1,AAAA ".repeat(20)}${headers["webhook-signature"]}`;
  await refuse({ headers: { ...headers, "webhook-signature": many } }, /expected at most 20 signatures/);
  await refuse({ secret: "secret" }, /secret: expected whsec_\.\.\. or whpk_/);
});

test("headers of another implementation are read like those of the global one", async () => {
  const headers = new UndiciHeaders(sign(NOW));
  assert.deepEqual(await verifyWebhook({ headers, body, secret, now: NOW }), JSON.parse(body));
});

test("a request is too old or too early beyond the tolerance", async () => {
  for (const awayMs of [-301_000, 301_000]) {
    const headers = sign(NOW + awayMs);
    await assert.rejects(
      verifyWebhook({ headers, body, secret, now: NOW }),
      /webhook-timestamp: expected a time within 300/,
    );
    await verifyWebhook({ headers, body, secret, now: NOW, toleranceMs: 302_000 });
  }
});
