// Published events reach webhooks that subscribe by name, by Terraform's spelling of it and by glob, with the payload as given.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_PAYLOAD_BYTES } from "../../src/events/events/contract.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { LOOPBACK, startReceiver } from "./receiver.ts";

const { createUser, request } = await startOwnApp(LOOPBACK);

async function openAccount() {
  const { token } = await createUser();
  const receiver = await startReceiver();
  return {
    receiver,
    async subscribe(path: string, events: readonly string[], more: object = {}) {
      const body = { url: `${receiver.url}/${path}`, events, ...more };
      const { status, text } = await request("POST", "/v1/webhooks", { token, body });
      assert.equal(status, 200, text);
    },
    async publish(type: string, more: object = {}, headers: Record<string, string> = {}) {
      const { status, body, text } = await request("POST", "/v1/events", { token, body: { type, ...more }, headers });
      assert.equal(status, 200, text);
      return body;
    },
  };
}

test("a published event reaches each webhook that subscribes to it, once", async () => {
  const { receiver, subscribe, publish } = await openAccount();
  await subscribe("terraform", ["domain.certificate-add"]);
  await subscribe("glob", ["deployment.*", "deployment.ready"]);
  await subscribe("web", ["deployment.ready", "domain.*"], { projectIds: ["web"] });
  const key = { "idempotency-key": "deployed-1" };
  const sequences = {
    ready: (await publish("deployment.ready", { projectId: "web" }, key)).sequence,
    again: (await publish("deployment.ready", { projectId: "web" }, key)).sequence,
    certificate: (await publish("domain.certificate-add", { projectId: "shop" })).sequence,
    created: (await publish("deployment.created")).sequence,
  };
  assert.equal(sequences.again, sequences.ready);
  const expected = [
    ["/glob", "deployment.created", sequences.created],
    ["/glob", "deployment.ready", sequences.ready],
    ["/terraform", "domain.certificate.add", sequences.certificate],
    ["/web", "deployment.ready", sequences.ready],
  ];
  const received = await receiver.until(({ length }) => length >= expected.length);
  const got = received.map(({ path, body }) => [path, body.type, body.sequence]);
  assert.deepEqual(got.toSorted(), expected.toSorted());
});

test("a payload arrives as it was given, however large", async () => {
  const { receiver, subscribe, publish } = await openAccount();
  await subscribe("hook", ["*"]);
  const own = { team: { id: "theirs" }, user: null, 7: ["ä", { deep: [[]] }], id: "dpl_1" };
  const frame = Buffer.byteLength(JSON.stringify({ text: "" }));
  const large = { text: "x".repeat(MAX_PAYLOAD_BYTES - frame) };
  for (const payload of [own, large, {}]) await publish("deployment.succeeded", { payload });
  const wanted = ({ body }: { readonly body: { readonly type: string } }) => body.type === "deployment.succeeded";
  const received = await receiver.until((all) => all.filter(wanted).length === 3);
  const payloads = received.filter(wanted).toSorted((a, b) => a.body.sequence - b.body.sequence);
  assert.deepEqual(
    payloads.map(({ body }) => body.payload),
    [own, large, {}],
  );
});
