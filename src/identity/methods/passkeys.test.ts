// Passkeys by the API: a browser is given options, and what it makes is added.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import type { TestUser } from "../../../test/harness/test-app.ts";
import { makePasskey } from "../../../test/sign-in/made-passkey.ts";
import { openSession } from "../../../test/sign-in/open-session.ts";

const api = await startOwnApp();
const { clock, createUser, query, readEvents } = api;
const SAME_ORIGIN = { "sec-fetch-site": "same-origin" };

async function browserOf(user: TestUser) {
  const { session } = await openSession(api, user);
  return (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    api.request(method, path, { session, headers: { ...SAME_ORIGIN, ...headers }, ...(body ? { body } : {}) });
}

type Browser = Awaited<ReturnType<typeof browserOf>>;

async function askOptions(browser: Browser) {
  const asked = await browser("POST", "/v1/user/passkeys/options");
  assert.equal(asked.status, 200, asked.text);
  return asked.body.publicKey;
}

test("a passkey is made of the options and added, once for each challenge, and excluded the next time", async () => {
  const user = await createUser();
  const browser = await browserOf(user);
  const options = await askOptions(browser);
  assert.deepEqual([options.rp.id, options.user.name, options.excludeCredentials], ["localhost", user.username, []]);
  const credential = makePasskey(options);
  const added = await browser("POST", "/v1/user/passkeys", { credential, name: "Laptop" });
  assert.equal(added.status, 200, added.text);
  assert.equal(added.body.passkey.name, "Laptop");
  const again = await browser("POST", "/v1/user/passkeys", { credential, name: "Laptop" });
  assert.deepEqual(again.body, added.body, "a repeated request has the same result");
  const { passkeys } = (await browser("GET", "/v1/user/passkeys")).body;
  assert.deepEqual(passkeys, [added.body.passkey]);
  assert.deepEqual(
    (await readEvents(user.id)).map(({ type }) => type).filter((type) => type.startsWith("passkey")),
    ["passkey-created"],
  );
  const other = await browser("POST", "/v1/user/passkeys", { credential: makePasskey(options) });
  assert.deepEqual([other.status, other.body.error.code], [400, "bad_request"], "its challenge was used");
  const next = await askOptions(browser);
  assert.deepEqual(
    next.excludeCredentials.map(({ id }: { id: string }) => id),
    [credential.id],
  );
});

test("what no authenticator made, or one on another site, or for somebody else, is refused", async () => {
  const [browser, stranger] = [await browserOf(await createUser()), await browserOf(await createUser())];
  const own = makePasskey(await askOptions(browser));
  const wrong = [{}, { ...own, response: {} }, makePasskey(await askOptions(browser), "https://evil.example")];
  for (const credential of wrong) {
    const { status, body } = await browser("POST", "/v1/user/passkeys", { credential });
    assert.deepEqual([status, body.error.code, body.error.field], [400, "bad_request", "body.credential"]);
  }
  const taken = await stranger("POST", "/v1/user/passkeys", { credential: own });
  assert.deepEqual([taken.status, taken.body.error.code], [400, "bad_request"]);
});

test("it needs a fresh proof, and an account has 25 at most", async () => {
  const user = await createUser();
  const browser = await browserOf(user);
  const credential = makePasskey(await askOptions(browser));
  clock.advance(11 * MINUTE_MS);
  for (const [path, body] of [["", { credential }], ["/options"]] as const) {
    const refused = await browser("POST", `/v1/user/passkeys${path}`, body);
    assert.equal(refused.body.error.code, "proof_required", refused.text);
  }
  await query(`update sessions set proved_at = ${clock.now} where user_id = '${user.id}'`);
  const made = makePasskey(await askOptions(browser));
  for (let at = 0; at < 25; at++) {
    await query(
      `insert into passkeys (id, user_id, credential_id, rp_id, public_key, counter, transports, name, created_at, position)
        values ('many_${at}', '${user.id}', 'many_${at}', 'localhost', '', 0, '[]', 'Laptop', ${clock.now}, ${at})`,
    );
  }
  const tooMany = await browser("POST", "/v1/user/passkeys", { credential: made });
  assert.deepEqual([tooMany.status, tooMany.body.error.code], [400, "too_many_passkeys"]);
});
