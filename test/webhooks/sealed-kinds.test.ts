// A signing secret, a private key and the headers of a webhook are sealed for what they are: a row that says otherwise does not open.
import assert from "node:assert/strict";
import { test } from "node:test";
import { keySources } from "../../src/serve/config/data-paths.ts";
import { UnreadableError } from "../../src/platform/kernel/keyring.ts";
import { openKeyring } from "../../src/platform/keyring/keyring.ts";
import { startTestApp } from "../harness/test-app.ts";
import { seal } from "../../src/platform/keyring/sealing/seal.ts";
import { openSecret } from "../../src/events/webhooks/secrets.ts";
import { listSecrets } from "../../src/events/webhooks/secrets-store.ts";

const { createUser, request, settings, withStore } = await startTestApp();
const user = await createUser();
const keyring = openKeyring(keySources(settings));
const KINDS = ["secret", "key", "headers"] as const;

const { body: webhook, text } = await request("POST", "/v1/webhooks", {
  token: user.token,
  body: { url: "https://example.com/", events: ["secret-add"], headers: { "x-key": "of the owner" }, keyPair: true },
});
assert.ok(webhook.id, text);
const name = { ownerId: user.id, webhookId: webhook.id as string };
const rows = await withStore(async ({ reader }) => listSecrets(reader, name));

test("each sealed value opens as what it is", () => {
  assert.deepEqual(rows.map(({ kind }) => kind).toSorted(), KINDS.toSorted());
  const opened = Object.fromEntries(rows.map((row) => [row.kind, openSecret(keyring, row)]));
  assert.equal(opened["secret"], webhook.secret);
  assert.deepEqual(JSON.parse(opened["headers"] as string), { "x-key": "of the owner" });
  assert.match(opened["key"] as string, /^MC4CAQAwBQYDK2Vw/);
});

test("none opens as another kind", () => {
  for (const row of rows) {
    for (const kind of KINDS.filter((other) => other !== row.kind)) {
      assert.throws(() => openSecret(keyring, { ...row, kind }), UnreadableError, `${row.kind} as ${kind}`);
    }
  }
});

test("values of older versions open, and not as another kind", async () => {
  const values = {
    secret: webhook.secret as string,
    key: openSecret(keyring, rows.find(({ kind }) => kind === "key") as never),
    headers: "{}",
  };
  for (const row of rows) {
    const value = values[row.kind as keyof typeof values];
    const context = `webhook|${name.ownerId}|${name.webhookId}|${row.version}`;
    const { wrappedKey, ciphertext, keyId } = await withStore(async ({ reader }) =>
      seal(reader, keyring, Buffer.from(value), context),
    );
    const older = { ...row, wrappedKey, ciphertext, keyId };
    assert.equal(openSecret(keyring, older), value);
    for (const kind of KINDS.filter((other) => other !== row.kind)) {
      assert.throws(() => openSecret(keyring, { ...older, kind }), UnreadableError, `${row.kind} as ${kind}`);
    }
  }
});
