import assert from "node:assert/strict";
import { createHmac, createPrivateKey, createPublicKey, createSecretKey, verify } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { createKeyPair, createSigningSecret } from "../webhooks/secrets.ts";
import type { SecretKeys } from "../webhooks/target.ts";
import { signatureHeaders } from "./signature.ts";

const ID = "msg_0001_7";
const BODY = JSON.stringify({ id: ID, type: "team", payload: { name: "Grüße" } });
const BYTES = Buffer.from(BODY);

function keysOf(secret: string): SecretKeys {
  return {
    text: createSecretKey(Buffer.from(secret)),
    bytes: createSecretKey(Buffer.from(secret.slice("whsec_".length), "base64")),
  };
}

test("the libraries of Standard Webhooks and of Svix verify the signatures", () => {
  const secret = createSigningSecret();
  const secrets = [{ value: keysOf(secret), expiresAt: null }];
  const headers = signatureHeaders({ secrets, keys: [] }, ID, Date.now(), BYTES);
  assert.deepEqual(new Webhook(secret).verify(BODY, headers), JSON.parse(BODY));
  new SvixWebhook(secret).verify(BODY, headers);
  assert.throws(() => new SvixWebhook(createSigningSecret()).verify(BODY, headers));
  assert.throws(() => new Webhook(secret).verify(`${BODY} `, headers));
  assert.throws(() => new Webhook(createSigningSecret()).verify(BODY, headers));
});

test("the older header is the lower-case hex HMAC-SHA1 of the body under the secret as it was shown", () => {
  const secret = createSigningSecret();
  const secrets = [{ value: keysOf(secret), expiresAt: null }];
  const headers = signatureHeaders({ secrets, keys: [] }, ID, 0, BYTES);
  assert.equal(headers["x-vercel-signature"], createHmac("sha1", secret).update(BODY).digest("hex"));
  assert.equal("x-vercel-signature-previous" in headers, false);
});

test("the previous secret signs too until it expires", () => {
  const [current, previous] = [createSigningSecret(), createSigningSecret()];
  const now = Date.now();
  const secrets = [
    { value: keysOf(current), expiresAt: null },
    { value: keysOf(previous), expiresAt: now + 1 },
  ];
  const during = signatureHeaders({ secrets, keys: [] }, ID, now, BYTES);
  for (const secret of [current, previous]) new Webhook(secret).verify(BODY, during);
  assert.equal(during["x-vercel-signature-previous"], createHmac("sha1", previous).update(BODY).digest("hex"));
  const after = signatureHeaders({ secrets, keys: [] }, ID, now + 1, BYTES);
  assert.throws(() => new Webhook(previous).verify(BODY, after));
  assert.equal("x-vercel-signature-previous" in after, false);
});

test("a key pair adds an Ed25519 signature that its public half verifies", () => {
  const { privateKey, publicKey } = createKeyPair();
  const key = createPrivateKey({ key: Buffer.from(privateKey, "base64"), format: "der", type: "pkcs8" });
  const { "webhook-signature": signatures = "", "webhook-timestamp": timestamp } = signatureHeaders(
    { secrets: [{ value: keysOf(createSigningSecret()), expiresAt: null }], keys: [{ value: key, expiresAt: null }] },
    ID,
    1_700_000_000_999,
    BYTES,
  );
  assert.equal(timestamp, "1700000000");
  const v1a = signatures.split(" ").find((part) => part.startsWith("v1a,")) ?? "";
  const x = Buffer.from(publicKey.slice("whpk_".length), "base64").toString("base64url");
  const verifier = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  const signed = Buffer.from(`${ID}.${timestamp}.${BODY}`);
  assert.ok(verify(null, signed, verifier, Buffer.from(v1a.slice("v1a,".length), "base64")));
});
