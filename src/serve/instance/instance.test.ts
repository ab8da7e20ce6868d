// The report to administrators.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { HOUR_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import { createKey } from "../../../test/resources/api-keys.ts";
import { ENGINE, startOwnApp, uniqueName } from "../../../test/harness/test-app.ts";

const SMTP_PASSWORD = "hunter2-of-the-mail-server";
const smtpFile = join(tmpdir(), `reeve-smtp-${process.pid}`);
writeFileSync(smtpFile, `smtp://reeve:${SMTP_PASSWORD}@127.0.0.1:9\n`);

const api = await startOwnApp(
  { rateLimit: "0" },
  undefined,
  {},
  {
    REEVE_SMTP_URL_FILE: smtpFile,
    REEVE_MAX_TOKENS: "7",
    REEVE_PUBLIC_URL: "https://reeve.example.com",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:secret-of-tracing@127.0.0.1:4318",
  },
);
const { admin, clock, createTeam, createUser, query, request } = api;

const report = async () => {
  const { status, body, text } = await request("GET", "/v1/instance", { token: admin.token });
  assert.equal(status, 200, text);
  return { body, text };
};

test("administrators alone read it, with a token or a session, and no API key", async () => {
  await report();
  const user = await createUser();
  const { value } = (await createKey(api, admin.token, "", { role: "OWNER" })).body;
  for (const token of [user.token, value]) {
    const { status, body } = await request("GET", "/v1/instance", { token });
    assert.deepEqual([status, body.error.code], [403, "forbidden"]);
  }
  assert.equal((await request("GET", "/v1/instance", { token: null })).status, 401);
});

test("it says of each setting where it comes from, and shows no credential", async () => {
  const { body, text } = await report();
  const settings = new Map(body.settings.map((one: { variable: string }) => [one.variable, one]));
  const shown = (variable: string) => {
    const { value, isSet, isCredential, from } = settings.get(variable) as Record<string, unknown>;
    return [value, isSet, isCredential, from];
  };
  assert.deepEqual(shown("REEVE_RATE_LIMIT"), ["0", true, false, "flag"]);
  assert.deepEqual(shown("REEVE_MAX_TOKENS"), ["7", true, false, "environment"]);
  assert.deepEqual(shown("REEVE_HOST"), ["127.0.0.1", true, false, "default"]);
  assert.deepEqual(shown("REEVE_OIDC_FILE"), [null, false, false, "default"]);
  assert.deepEqual(shown("REEVE_SMTP_URL"), [null, true, true, "file"]);
  assert.deepEqual(shown("REEVE_BOOTSTRAP_TOKEN"), [null, true, true, "flag"]);
  assert.deepEqual(shown("REEVE_MASTER_KEY"), [null, false, true, "default"]);
  assert.deepEqual(shown("OTEL_EXPORTER_OTLP_ENDPOINT"), [null, true, true, "environment"]);
  for (const credential of [SMTP_PASSWORD, admin.token, "secret-of-tracing"]) assert.ok(!text.includes(credential));
  if (ENGINE === "postgres") {
    assert.deepEqual(shown("REEVE_DATABASE_URL"), [null, true, true, "flag"]);
    const { password } = new URL(api.settings.databaseUrl ?? "postgres://");
    if (password !== "") assert.ok(!body.data.includes(password));
  }
});

test("it says in words what was checked, and what is wrong", async () => {
  const { body } = await report();
  assert.deepEqual([body.engine, body.url, body.backup.lastAt], [ENGINE, "https://reeve.example.com", null]);
  const states = Object.fromEntries(body.checks.map(({ check, status }: Record<string, string>) => [check, status]));
  const { disk, clock: clockState, ...others } = states;
  assert.deepEqual(others, { store: "ok", schema: "ok", keys: "ok", deliveries: "ok", settings: "ok" });
  // The clock of these tests is years ahead of that of a database server.
  const skewed = body.checks.find(({ code }: { code: string | null }) => code === "clock_skewed");
  assert.deepEqual(
    [clockState, skewed?.advice],
    ENGINE === "sqlite" ? ["ok", undefined] : ["warning", "set it, and keep it by NTP"],
  );
  assert.equal(disk !== undefined, ENGINE === "sqlite");
  const user = await createUser();
  const hook = { url: "https://93.184.215.14/", events: ["webhook-deleted"] };
  const made = await request("POST", "/v1/webhooks", { token: user.token, body: hook });
  assert.equal(made.status, 200, made.text);
  const { id } = made.body;
  // It fails, and is tried again in an hour.
  const next = clock.now + HOUR_MS;
  await query(`update webhook_queues set ready_at = ${next}, due_at = ${next}, held_until = ${next}, failures = 3,
    failing_since = ${clock.now} where webhook_id = '${id}'`);
  const failing = async () => (await report()).body.deliveries;
  assert.deepEqual([(await failing()).failing, (await failing()).late], [1, []]);
  const since = clock.now;
  clock.advance(11 * MINUTE_MS);
  assert.deepEqual((await failing()).late, [{ webhookId: id, ownerId: user.id, state: "failing", since }]);
});

test("it counts values that are not under the active key, and what waits", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  for (const name of ["ONE", "TWO"]) {
    const created = await request("POST", `/v2/secrets?teamId=${team.id}`, {
      token: user.token,
      body: { name, value: uniqueName("value") },
    });
    assert.equal(created.status, 200, created.text);
  }
  const before = (await report()).body.keys;
  assert.equal(before.behind, 0);
  assert.deepEqual(before.masterKeys, [{ id: before.masterKeys[0].id, isActive: true, isPresent: true }]);
  const stored = await query(`select id from secrets where owner_id = '${team.id}' order by id`);
  await query(`update secret_versions set key_id = 'key_former' where secret_id = '${String(stored[0]?.["id"])}'`);
  const { keys } = (await report()).body;
  assert.equal(keys.behind, 1);
  assert.deepEqual(keys.masterKeys[1], { id: "key_former", isActive: false, isPresent: false });
});
