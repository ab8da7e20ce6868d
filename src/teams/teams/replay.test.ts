// A replay shows no more than its caller may see now: the join link of a team is for those who may invite.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp, uniqueName } from "../../../test/harness/test-app.ts";

const { createUser, request } = await startTestApp();

test("who may no longer see a team's join link does not get it by repeating the request that made the team", async () => {
  const [founder, other] = [await createUser(), await createUser()];
  const body = { slug: uniqueName("replayed") };
  const create = () =>
    request("POST", "/v1/teams", { token: founder.token, body, headers: { "idempotency-key": body.slug } });
  const created = await create();
  assert.match(created.body.inviteCode, /./);
  const path = `/v1/teams/${created.body.id}/members`;
  await request("POST", path, { token: founder.token, body: { uid: other.id, role: "OWNER" } });
  const joined = await request("POST", "/v1/teams/join", { token: other.token, body: { teamId: created.body.id } });
  assert.equal(joined.status, 200, joined.text);
  const demoted = await request("PATCH", `${path}/${founder.id}`, { token: other.token, body: { role: "VIEWER" } });
  assert.equal(demoted.status, 200, demoted.text);
  const { inviteCode: _link, ...rest } = created.body;
  const asViewer = await request("GET", `/v2/teams/${created.body.id}`, { token: founder.token });
  assert.equal("inviteCode" in asViewer.body, false);
  for (const role of ["viewer", "none"]) {
    if (role === "none") {
      assert.equal((await request("DELETE", `${path}/${founder.id}`, { token: other.token })).status, 200);
    }
    const replayed = await create();
    assert.deepEqual([replayed.status, replayed.headers["idempotency-replayed"]], [200, "true"], replayed.text);
    assert.deepEqual(replayed.body, rest, role);
  }
});
