// Two servers on one store are asked for the same thing at the same moment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { send, startOwnApp } from "../harness/test-app.ts";
import { DEVICE_GRANT, createOAuthClient, form } from "../sign-in/oauth-client.ts";
import { openSession } from "../sign-in/open-session.ts";

const client = await startOwnApp();
const { request, createUser, startAnother } = client;
const { begin, decide, submit } = createOAuthClient(client);
const servers = [client.app, await startAnother()];

test("of two requests for the token of one code, at most one gets it", async () => {
  const user = await createUser();
  for (let round = 0; round < 5; round++) {
    const begun = await begin();
    assert.equal((await decide(user, begun)).status, 200);
    const fields = { client_id: "reeve-cli", grant_type: DEVICE_GRANT, device_code: begun.device_code };
    const answers = await Promise.all(servers.map((server) => send(server, "POST", "/oauth/token", form(fields))));
    const taken = answers.filter(({ status }) => status === 200);
    const errors = answers.flatMap(({ body }) => (typeof body.error === "string" ? [body.error] : []));
    // A request that sees that the code was used takes back what the other one gets, perhaps before it has got it.
    assert.ok(taken.length <= 1, "a code is for one token");
    assert.deepEqual(new Set(errors), new Set(["invalid_grant"]));
    if (taken.length === 0) continue;
    const { access_token: token } = taken[0]?.body ?? {};
    const { status } = await request("GET", "/v2/user", { token });
    assert.ok(status === 200 || status === 401);
  }
});

test("of an approval and a refusal at once, the first is final", async () => {
  const user = await createUser();
  const { session } = await openSession(client, user);
  for (let round = 0; round < 5; round++) {
    const { user_code, device_code } = await begin();
    const choice = { user_code, team: "", lifetime: "1" };
    const answers = await Promise.all([
      submit(session, { ...choice, action: "approve" }),
      submit(session, { ...choice, action: "refuse" }),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 404]);
    const isApproved = answers[0]?.status === 200;
    const fields = { client_id: "reeve-cli", grant_type: DEVICE_GRANT, device_code };
    const { status, body } = await request("POST", "/oauth/token", form(fields));
    assert.deepEqual([status, body.error], isApproved ? [200, undefined] : [400, "access_denied"]);
  }
});
