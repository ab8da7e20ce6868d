// Limits of trust rules: issued keys have those of their rule, and nobody makes or finds a rule that gives more than they have.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { createKey } from "../../../test/resources/api-keys.ts";
import { SUBJECT, openWorkload } from "../../../test/resources/workload.ts";

const client = await startOwnApp({ egressAllow: "127.0.0.1" });
const { request, readEvents } = client;
const { github, createTrustRule, trustRuleBody, claimsNow, accepted, exchange, statusWith } =
  await openWorkload(client);

const SECRETS = ["secret:read", "secret:write"];

async function namesFor(token: string): Promise<string[]> {
  return (await request("GET", "/v2/secrets", { token })).body.secrets.map(({ name }: Body) => name);
}

test("an issued key knows what its rule names, until the rule names something else", async () => {
  const limits = { projects: null, environments: null, names: ["SHOP_*"] };
  const { owner, team, trust, scope } = await createTrustRule({ permissions: SECRETS, names: limits.names });
  const allows =
    "It may see names of secrets and change secrets, and nothing else. Of secrets and variables it knows only SHOP_*. " +
    "It works from any address. It ends 15 minutes after it was issued.";
  const { projects, environments, names } = trust;
  assert.deepEqual([{ projects, environments, names }, trust.allows], [limits, allows]);
  const made = (await readEvents(team.id)).find(({ type }) => type === "identity-trust-created");
  assert.deepEqual(made?.next?.["names"], ["SHOP_*"]);
  for (const name of ["SHOP_A", "OTHER"]) {
    await request("POST", `/v2/secrets${scope}`, { token: owner.token, body: { name, value: "x" } });
  }
  const write = (token: string, name: string) => request("POST", "/v2/secrets", { token, body: { name, value: "x" } });

  const value = await accepted(team.id, await github.sign(claimsNow()));
  const narrow = await exchange({ audience: team.id, scope: "secret:read" }, await github.sign(claimsNow()));
  for (const token of [value, narrow.body.access_token]) assert.deepEqual(await namesFor(token), ["SHOP_A"]);
  assert.equal((await write(value, "ELSE")).status, 403);
  assert.equal((await write(value, "SHOP_B")).status, 200);
  assert.equal(await statusWith(value, "/v3/secrets/OTHER"), 404);

  const path = `/v1/identity/trusts/${trust.id}${scope}`;
  const renamed = await request("PATCH", path, { token: owner.token, body: { name: "Renamed" } });
  assert.deepEqual(renamed.body.trust.names, ["SHOP_*"]);
  assert.equal(await statusWith(value), 200);
  const byOther = await accepted(team.id, await github.sign(claimsNow()));
  await request("PATCH", path, { token: client.admin.token, body: { name: "Of another person" } });
  assert.equal(await statusWith(byOther), 401, "somebody else answers for the rule");
  const shared = { issuer: "https://token.actions.githubusercontent.com" };
  const ref = { claims: { ref: "refs/heads/main" } };
  assert.equal((await request("PATCH", path, { token: owner.token, body: ref })).status, 200);
  const open = await request("PATCH", path, { token: owner.token, body: shared });
  assert.deepEqual([open.status, open.body.error.field], [400, "body.claims"], "claims are held against a new issuer");
  await request("PATCH", path, { token: owner.token, body: { claims: { sub: SUBJECT } } });
  const again = await accepted(team.id, await github.sign(claimsNow()));
  assert.equal(await statusWith(again), 200);
  const changed = await request("PATCH", path, { token: owner.token, body: { names: null, projects: ["shop"] } });
  assert.deepEqual([changed.body.trust.names, changed.body.trust.projects], [null, ["shop"]]);
  assert.equal(await statusWith(again), 401, "keys with the former limits stop");
  assert.equal(await statusWith(await accepted(team.id, await github.sign(claimsNow()))), 403);
  await request("PATCH", path, { token: owner.token, body: { projects: null } });
  const wide = await accepted(team.id, await github.sign(claimsNow()));
  assert.deepEqual((await namesFor(wide)).toSorted(), ["OTHER", "SHOP_A", "SHOP_B"]);
});

test("an issued key works from the networks of its rule alone", async () => {
  const { owner, team, trust, scope } = await createTrustRule({ allowedCidrs: ["198.51.100.7", "198.51.100.7/32"] });
  assert.deepEqual(trust.allowedCidrs, ["198.51.100.7/32"]);
  const value = await accepted(team.id, await github.sign(claimsNow()));
  const from = async (ip: string) => (await request("GET", "/v2/secrets", { token: value, ip })).status;
  assert.deepEqual([await from("198.51.100.7"), await from("198.51.100.8")], [200, 401]);
  const path = `/v1/identity/trusts/${trust.id}${scope}`;
  const wrong = await request("PATCH", path, { token: owner.token, body: { allowedCidrs: ["198.51.100.7/8"] } });
  assert.deepEqual([wrong.status, wrong.body.error.field], [400, "body.allowedCidrs[0]"]);
  const changed = await request("PATCH", path, { token: owner.token, body: { allowedCidrs: null } });
  assert.deepEqual(changed.body.trust.allowedCidrs, []);
  assert.equal(await from("198.51.100.7"), 401, "keys with the former networks stop");
});

test("a dry run says what an issued key may do, refuses what would be refused, and makes no rule", async () => {
  const { owner, scope } = await createTrustRule();
  const create = (body: object) =>
    request("POST", `/v1/identity/trusts${scope}&dryRun=true`, { token: owner.token, body });
  const dry = await create(
    trustRuleBody({ permissions: ["secret:read"], names: ["DB_*"], allowedCidrs: ["10.0.0.0/8"] }),
  );
  const allows =
    "It may see names of secrets, and nothing else. Of secrets and variables it knows only DB_*. It works only from 10.0.0.0/8. " +
    "It ends 15 minutes after it was issued.";
  assert.deepEqual([dry.status, dry.body], [200, { allows }]);
  const wrong = await create(trustRuleBody({ claims: { sub: "*" } }));
  assert.deepEqual([wrong.status, wrong.body.error.field], [400, "body.claims"]);
  const listed = await request("GET", `/v1/identity/trusts${scope}`, { token: owner.token });
  assert.equal(listed.body.trusts.length, 1);
});

test("a limited credential makes rules with the same limits or narrower ones, and changes none to more", async () => {
  const { owner, scope } = await createTrustRule();
  const limits = { projects: ["shop", "site"], names: ["DB_*"], allowedCidrs: ["127.0.0.0/8", "10.0.0.0/8"] };
  const permissions = ["api-key:read", "api-key:manage", "secret:read", "secret:reveal"];
  const key = (await createKey(client, owner.token, scope, { role: "MEMBER", permissions, ...limits })).body;
  const own = { permissions: ["secret:read"], ...limits };
  const create = (change: object) =>
    request("POST", "/v1/identity/trusts", { token: key.value, body: trustRuleBody({ ...own, ...change }) });
  const made = await create({ projects: ["shop"], names: ["DB_A*"], allowedCidrs: ["10.0.0.0/8"] });
  assert.equal(made.status, 200, made.text);
  const path = `/v1/identity/trusts/${made.body.trust.id}`;
  for (const [field, change] of [
    ["projects", { projects: ["web"] }],
    ["projects", { projects: null }],
    ["names", { names: ["*"] }],
    ["names", { names: null }],
    ["allowedCidrs", { allowedCidrs: ["192.0.2.0/24"] }],
    ["allowedCidrs", { allowedCidrs: null }],
  ] as const) {
    const [value] = Object.values(change);
    const created = await create({ [field]: value ?? undefined });
    assert.deepEqual([created.status, created.body.error?.field], [403, `body.${field}`], JSON.stringify(change));
    const changed = await request("PATCH", path, { token: key.value, body: change });
    assert.deepEqual([changed.status, changed.body.error?.field], [403, `body.${field}`], JSON.stringify(change));
  }
  const more = await create({ permissions: ["secret:write"] });
  assert.deepEqual([more.status, more.body.error.code], [403, "role_exceeds_creator"]);
  assert.equal((await request("PATCH", path, { token: key.value, body: { names: ["DB_*"] } })).status, 200);
});

test("rules that give more than a limited credential has do not exist for it", async () => {
  const { owner, scope, trust } = await createTrustRule();
  const limits = { projects: ["shop"] };
  const permissions = ["api-key:read", "api-key:manage", "firewall:read"];
  const narrow = (await createKey(client, owner.token, scope, { role: "MEMBER", permissions, ...limits })).body.value;
  const create = async (change: object): Promise<string> => {
    const body = trustRuleBody({ permissions: ["firewall:read"], ...change });
    return (await request("POST", `/v1/identity/trusts${scope}`, { token: owner.token, body })).body.trust.id;
  };
  const mine: string[] = [];
  const others = [trust.id];
  for (let at = 0; at < 3; at++) {
    others.push(await create({ projects: ["shop", "site"] }));
    mine.unshift(await create(limits));
  }
  const seen: string[] = [];
  for (let until: number | null | undefined; until !== null;) {
    const query = `?limit=2${until === undefined ? "" : `&until=${until}`}`;
    const { body } = await request("GET", `/v1/identity/trusts${query}`, { token: narrow });
    seen.push(...body.trusts.map(({ id }: Body) => id));
    until = body.pagination.next;
  }
  assert.deepEqual(seen, mine);
  const token = await github.sign(claimsNow());
  const explained = await request("POST", "/v1/identity/explain", { token: narrow, body: { token } });
  assert.deepEqual(
    explained.body.trusts.map(({ id, allows }: Body) => [id, /knows only shop\./.test(allows)]),
    mine.toReversed().map((id) => [id, true]),
  );
  for (const id of others) {
    const path = `/v1/identity/trusts/${id}`;
    for (const { status, text } of [
      await request("GET", path, { token: narrow }),
      await request("PATCH", path, { token: narrow, body: { adopt: true, projects: ["shop"] } }),
      await request("DELETE", path, { token: narrow }),
    ]) {
      assert.equal(status, 404, text);
    }
  }
});
