// Webhooks, through one release of the SDK, which reads a list only when it knows every event of every webhook in it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PUBLIC_WEBHOOK_NAMES } from "../../../src/platform/kernel/clients/public-webhook-names.ts";
import { START_TIME } from "../../harness/test-app.ts";
import type { Body } from "../../harness/test-app.ts";
import { refusedWith } from "./refusal.ts";
import type { Session } from "./session.ts";

const url = "https://example.com/hook";
const everyName = PUBLIC_WEBHOOK_NAMES.flatMap(({ names }) => names as readonly string[]);

export function testWebhooks({ release, as, request, createUser, createOwnerAndTeam }: Session): void {
  test("createWebhook, getWebhook, getWebhooks and deleteWebhook manage webhooks", async () => {
    const { owner, team } = await createOwnerAndTeam();
    const sdk = as(owner);
    const events = ["deployment.created", "firewall.attack"];
    const requestBody = { url, events, projectIds: ["prj_web"] };
    const created = await sdk.webhooks.createWebhook({ teamId: team.id, requestBody });
    assert.match(created.secret, /^whsec_[A-Za-z0-9+/]{32,}=*$/);
    const { id } = created;
    const shown = { id, url, events, ownerId: team.id, createdAt: START_TIME, updatedAt: START_TIME };
    const take = (webhook: Body) => Object.fromEntries(Object.keys(shown).map((key) => [key, webhook[key]]));
    assert.deepEqual(take(created), shown);
    assert.deepEqual(created.projectIds, ["prj_web"]);

    const got = await sdk.webhooks.getWebhook({ id, teamId: team.id });
    assert.deepEqual([take(got), got.projectIds, got.secret], [shown, ["prj_web"], undefined]);

    const all = await sdk.webhooks.createWebhook({ teamId: team.id, requestBody: { url, events: ["test-webhook"] } });
    assert.equal(all.projectIds, undefined);
    const list = await sdk.webhooks.getWebhooks({ teamId: team.id });
    assert.deepEqual(
      list.map((webhook: Body) => [webhook.id, webhook.events, webhook.projectIds]),
      [
        [all.id, ["test-webhook"], undefined],
        [id, events, ["prj_web"]],
      ],
    );
    const narrowed = await sdk.webhooks.getWebhooks({ teamId: team.id, projectId: "prj_other" });
    assert.deepEqual(
      narrowed.map((webhook: Body) => webhook.id),
      [all.id],
    );

    await sdk.webhooks.deleteWebhook({ id, teamId: team.id });
    await assert.rejects(sdk.webhooks.getWebhook({ id, teamId: team.id }), refusedWith(404));
    await assert.rejects(sdk.webhooks.deleteWebhook({ id, teamId: team.id }), refusedWith(404));

    const { events: told } = await sdk.user.listUserEvents({
      teamId: team.id,
      types: "webhook-*",
      withPayload: "true",
    });
    assert.equal(told.length, 3);
    if (!release.hasEventTypes) return;
    assert.deepEqual(
      told.map((event: Body) => [event.type, { ...event.payload }]),
      ["webhook-deleted", "webhook-created", "webhook-created"].map((type) => [type, { webhookUrl: url }]),
    );
  });

  test("a webhook shows the events that this release knows, and takes them all", async () => {
    const user = await createUser();
    const { token } = user;
    const sdk = as(user);
    const others = ["secret-add", "team-*", "domain.certificate-add", "domain.certificate.*"];
    const body = { url, events: [...others, ...everyName] };
    const { status, text, body: wide } = await request("POST", "/v1/webhooks", { token, body });
    assert.equal(status, 200, text);
    assert.deepEqual(wide.events, body.events, "others read what was stored");
    const own = await request("POST", "/v1/webhooks", { token, body: { url, events: ["secret-*"] } });
    const { events } = await sdk.webhooks.getWebhook({ id: wide.id });
    assert.equal(events.length, release.webhookEvents);
    assert.ok(events.every((name: string) => everyName.includes(name)));
    const list = await sdk.webhooks.getWebhooks({});
    assert.deepEqual(
      list.map((webhook: Body) => [webhook.id, webhook.events]),
      [
        [own.body.id, []],
        [wide.id, events],
      ],
    );
    const again = await sdk.webhooks.createWebhook({ requestBody: { url, events } });
    assert.deepEqual(again.events, events);
  });
}
