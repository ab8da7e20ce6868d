// What becomes of deliveries while the store is away: nothing that was sent is forgotten or sent again, and not much more
// is sent meanwhile.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SECOND_MS } from "../../src/kernel/clock.ts";
import { ENGINE, startTestApp } from "../harness.ts";
import { waitFor } from "../mail/mail-server.ts";
import { LOOPBACK, startReceiver } from "../webhooks/receiver.ts";
import type { Receiver } from "../webhooks/receiver.ts";
import { areDelivered, attemptsOf, openOwner, untilStored } from "../webhooks/webhook-world.ts";
import { startPassage } from "./passage.ts";

const logged: string[] = [];
const api = await startTestApp({ ...LOOPBACK, logLevel: "warn" }, (line) => logged.push(line));
const countLogged = (text: string) => logged.filter((line) => line.includes(text)).length;
const untilLogged = (text: string) => waitFor(text, () => countLogged(text) > 0 || undefined);

/** As many as a process may have that are not stored, where one webhook alone wants them. */
const MOST_UNSTORED = 512;

function assertOnce({ received }: Receiver, count: number): void {
  assert.equal(received.length, count);
  assert.equal(new Set(received.map(({ body }) => body.sequence)).size, count);
}

async function rename(table: string, name: string): Promise<void> {
  await api.withStore(({ admin }) => admin.exec(`alter table ${table} rename to ${name}`));
}

test("what can't be stored is kept, and stored once that is possible; until then only so much is sent", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  const { id } = await owner.hook(receiver.url, { concurrency: 64 });
  await rename("webhook_attempts", "webhook_attempts_away");
  await owner.publishMany(MOST_UNSTORED + 100);
  await receiver.until(({ length }) => length === MOST_UNSTORED);
  await untilLogged("attempts could not be stored yet");
  // Another webhook has its first place all the same.
  const other = await openOwner(api);
  const another = await startReceiver();
  const { id: otherId } = await other.hook(another.url);
  await other.publish();
  await another.until(({ length }) => length === 1);
  assert.equal(receiver.received.length, MOST_UNSTORED);
  await rename("webhook_attempts_away", "webhook_attempts");
  await untilStored(api, id, areDelivered(MOST_UNSTORED + 100));
  await untilStored(api, otherId, areDelivered(1));
  assertOnce(receiver, MOST_UNSTORED + 100);
  assert.equal((await attemptsOf(api, id)).length, MOST_UNSTORED + 100);
  assert.equal(countLogged("attempts could not be stored yet"), 1);
});

test("a webhook whose deliveries can't be read is left alone for seconds", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  const { id } = await owner.hook(receiver.url);
  await owner.publish();
  await untilStored(api, id, areDelivered(1));
  // Somebody asks for it while nothing can be read.
  await rename("webhook_deliveries", "webhook_deliveries_away");
  await api.query(`update webhook_queues set ready_at = 0, due_at = 0 where webhook_id = '${id}'`);
  await untilLogged("what waits for a webhook could not be read");
  await rename("webhook_deliveries_away", "webhook_deliveries");
  await untilStored(api, id, areDelivered(1));
  await owner.publish();
  api.clock.advance(6 * SECOND_MS);
  await untilStored(api, id, areDelivered(2));
  assertOnce(receiver, 2);
});

/** Makes the store refuse whoever gives a webhook back; answers how to end that. */
async function refuseReleases(): Promise<() => Promise<void>> {
  const isRelease = "new.holder is null and old.holder is not null";
  const statements =
    ENGINE === "sqlite"
      ? {
          begin: `create trigger no_release before update on webhook_queues when ${isRelease}
            begin select raise(abort, 'not now'); end`,
          end: "drop trigger no_release",
        }
      : {
          begin: `create function refuse() returns trigger as 'begin raise exception ''not now''; end' language plpgsql;
            create trigger no_release before update on webhook_queues for each row when (${isRelease})
            execute function refuse()`,
          end: "drop trigger no_release on webhook_queues; drop function refuse",
        };
  await api.withStore(({ admin }) => admin.exec(statements.begin));
  return () => api.withStore(({ admin }) => admin.exec(statements.end));
}

test("a webhook that could be neither read nor given back is given back once that is possible", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  const { id } = await owner.hook(receiver.url);
  await owner.publish();
  await untilStored(api, id, areDelivered(1));
  logged.length = 0;
  const allowReleases = await refuseReleases();
  await rename("webhooks", "webhooks_away");
  await api.query(`update webhook_queues set ready_at = 0, due_at = 0 where webhook_id = '${id}'`);
  await untilLogged("a webhook could not be read");
  await untilLogged("attempts could not be stored yet");
  await rename("webhooks_away", "webhooks");
  await allowReleases();
  await owner.publish();
  // Far less than it would be held for.
  api.clock.advance(6 * SECOND_MS);
  await untilStored(api, id, areDelivered(2));
  assertOnce(receiver, 2);
});

test("a database that can't be reached for a while costs no delivery", async () => {
  if (ENGINE === "sqlite") return;
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  receiver.answer((response) => setTimeout(() => response.end(), 5));
  const { id } = await owner.hook(receiver.url);
  await api.app.close();
  const url = new URL(api.settings.databaseUrl as string);
  const passage = await startPassage({ host: url.hostname, port: Number(url.port) });
  url.host = `127.0.0.1:${passage.port}`;
  const app = await api.startAnother({ databaseUrl: url.href });
  logged.length = 0;
  await owner.publishMany(200);
  await receiver.until(({ length }) => length > 50);
  passage.cut();
  await untilLogged("webhooks could not be looked at");
  await passage.restore();
  await waitFor("all to be stored", async () => {
    api.clock.advance(SECOND_MS);
    const [row] = await api.query(
      `select count(*) as n from webhook_deliveries where webhook_id = '${id}' and state = 'delivered'`,
    );
    return Number(row?.["n"]) === 200 || undefined;
  });
  assertOnce(receiver, 200);
  assert.equal((await attemptsOf(api, id)).length, 200);
  assert.equal(countLogged("webhooks could not be looked at"), 1);
  await app.close();
  passage.cut();
});
