// The mail about a disabled webhook: its recipients, its text, and how many are sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HOUR_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { LOOPBACK, startReceiver } from "../webhooks/receiver.ts";
import { openOwner } from "../webhooks/webhook-world.ts";
import type { WebhookOwner } from "../webhooks/webhook-world.ts";
import { startMailServer } from "./mail-server.ts";
import { waitFor } from "../harness/wait-for.ts";
import { firstMailTo, mailsTo } from "./mail-world.ts";

const mail = await startMailServer();
const api = await startOwnApp({ ...LOOPBACK, smtpUrl: mail.url, publicUrl: "https://reeve.example" });
const receiver = await startReceiver();
receiver.respond(410);

/** Has an event delivered, which disables the webhook. */
async function lose(owner: WebhookOwner, id: string): Promise<void> {
  await owner.publish();
  await waitFor("the webhook to be disabled", async () => {
    const { body } = await owner.call("GET", `/v1/webhooks/${id}`);
    return body.active ? undefined : true;
  });
}

test("it goes to the account itself, even if another one has its id as a name, and shows no more of the webhook than its id", async () => {
  const owner = await openOwner(api);
  const impostor = await api.createUser();
  const renamed = { token: impostor.token, body: { username: owner.id } };
  assert.equal((await api.request("PATCH", "/v2/user", renamed)).status, 200);
  const { id } = await owner.hook(`${receiver.url}/path/credential?key=credential`);
  await lose(owner, id);
  const { text, html, headers } = await firstMailTo(owner.email, mail);
  assert.match(headers["subject"] ?? "", new RegExp(`^The webhook ${id} was disabled$`));
  assert.match(text, /its receiver responded with 410/);
  assert.match(text, /^https:\/\/reeve\.example\/console\/$/m);
  for (const part of ["credential", new URL(receiver.url).host]) {
    assert.equal(`${text}${html}`.includes(part), false, part);
  }
  assert.deepEqual(mailsTo(impostor.email, mail), []);
});

test("few are sent in an hour, however often a caller activates webhooks whose receiver is gone", async () => {
  const owner = await openOwner(api);
  const { id } = await owner.hook(receiver.url);
  await lose(owner, id);
  const untilSent = (count: number) =>
    waitFor(`${count} mails`, () => (mailsTo(owner.email, mail).length >= count ? true : undefined));
  const loseAgain = async () => {
    assert.equal((await owner.call("PATCH", `/v1/webhooks/${id}`, { active: true })).status, 200);
    await lose(owner, id);
  };
  for (let time = 2; time <= 12; time++) await loseAgain();
  await untilSent(10);
  api.clock.advance(2 * HOUR_MS);
  await loseAgain();
  await untilSent(11);
  assert.equal(mailsTo(owner.email, mail).length, 11);
});
