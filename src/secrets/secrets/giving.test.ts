// What makes a secret readable for others without showing it: another name, which credentials that are limited to names know it by, an
// earlier value, and another expiry after it has expired.
import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOf, keyWith } from "../../../test/resources/bounded-credentials.ts";
import { openVault } from "../../../test/resources/secrets.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { TestResponse } from "../../../test/harness/test-app.ts";
import { openSession } from "../../../test/sign-in/open-session.ts";
import { sessionAsToken } from "../../../test/sign-in/session-token.ts";
import { HOUR_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";

const api = await startTestApp();
const { createTeam, createUser, clock } = api;

/** The secrets of a team, for callers that may not set a reference to one, and for an application that is limited to names. */
async function open() {
  const owner = await createUser();
  const team = await createTeam(owner);
  const { session } = await openSession(api, owner);
  clock.advance(HOUR_MS);
  const vault = (token: string) => openVault(api, token, team.id);
  return {
    all: vault(owner.token),
    stale: vault(sessionAsToken(session)),
    writing: vault(await keyWith(api, owner, team, ["secret:write", "secret:reveal"])),
    application: vault(await keyOf(api, owner, team, { names: ["APP_*"] })),
  };
}

const codeOf = ({ status, body }: TestResponse) => (status < 300 ? "done" : `${status} ${body.error.code as string}`);

test("a secret gets a name that others may know it by only from a caller who may refer to it", async () => {
  const { all, stale, writing, application } = await open();
  await all.add("PROD_DB");
  await all.add("GONE");
  assert.equal(codeOf(await all.remove("GONE")), "done");
  for (const [vault, refusal] of [
    [writing, "403 forbidden"],
    [stale, "403 proof_required"],
  ] as const) {
    assert.equal(codeOf(await vault.change("PROD_DB", { name: "APP_DB" })), refusal);
    assert.equal(codeOf(await vault.change("PROD_DB", { name: "APP_DB", keepAlias: true, tags: ["x"] })), refusal);
    const renames = [{ from: "PROD_DB", to: "APP_DB" }];
    assert.equal(codeOf(await vault.call("POST", "/rename", { body: { renames } })), refusal);
    assert.equal(codeOf(await vault.call("POST", "/GONE/restore", { body: { name: "APP_GONE" } })), refusal);
  }
  for (const name of ["PROD_DB", "APP_DB", "APP_GONE"]) {
    assert.equal(codeOf(await application.reveal(name)), "404 not_found", name);
  }
  assert.equal(codeOf(await writing.change("PROD_DB", { description: "what is no name" })), "done");
  assert.equal(codeOf(await stale.change("PROD_DB", { name: "PROD_DB", description: "the same name" })), "done");
  assert.equal(codeOf(await writing.call("POST", "/GONE/restore", { body: { name: "GONE" } })), "done");
  assert.equal(codeOf(await all.change("PROD_DB", { name: "APP_DB" })), "done");
  assert.equal((await application.reveal("APP_DB")).body.value, "value of PROD_DB");
});

test("an earlier value comes back only after a session's fresh proof", async () => {
  const { all, stale } = await open();
  await all.add("ROTATED");
  assert.equal(codeOf(await all.put("ROTATED", { value: "next" })), "done");
  const restore = (vault: typeof all) => vault.call("POST", "/ROTATED/versions/1/restore");
  assert.equal(codeOf(await restore(stale)), "403 proof_required");
  assert.equal((await all.reveal("ROTATED")).body.value, "next");
  assert.equal(codeOf(await restore(all)), "done");
});

test("an expired secret can be read again only after a session's fresh proof", async () => {
  const { all, stale } = await open();
  await all.add("OLD", { expiresAt: clock.now + MINUTE_MS });
  assert.equal(codeOf(await stale.change("OLD", { expiresAt: clock.now + 2 * MINUTE_MS })), "done");
  clock.advance(2 * MINUTE_MS);
  const before = codeOf(await all.reveal("OLD"));
  assert.match(before, /^4/);
  assert.equal(codeOf(await stale.change("OLD", { expiresAt: null })), "403 proof_required");
  assert.equal(codeOf(await stale.put("OLD", { value: "next", expiresAt: null })), "403 proof_required");
  assert.equal(codeOf(await stale.change("OLD", { description: "still expired" })), "done");
  assert.equal(codeOf(await stale.put("OLD", { value: "next" })), "done");
  assert.equal(codeOf(await all.reveal("OLD")), before);
  assert.equal(codeOf(await all.change("OLD", { expiresAt: null })), "done");
  assert.equal((await all.reveal("OLD")).body.value, "next");
});
