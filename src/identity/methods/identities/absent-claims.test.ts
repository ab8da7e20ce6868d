// Claims that a provider does not send, through the real flow: left out is unknown and ends nothing, an empty list is none, and the log
// says once what to change.
import assert from "node:assert/strict";
import { test } from "node:test";
import { uniqueName } from "../../../../test/harness/test-app.ts";
import { CROSS_SITE, openVisits } from "../../../../test/sign-in/provider-visits.ts";
import { startProviderWorld } from "../../../../test/sign-in/provider-world.ts";
import { createVisitor } from "../../../../test/sign-in/visitor.ts";

const TEAM = uniqueName("platform");
const roles = [
  { claim: "groups", value: "admins", instance: "administrator" },
  { claim: "groups", value: "developers", team: TEAM, role: "DEVELOPER" },
  { claim: "realm_access.roles", value: "viewer", team: TEAM, role: "VIEWER" },
  { claim: "realm_access.roles", value: "owner", team: TEAM, role: "OWNER" },
];
const lines: string[] = [];
const api = await startProviderWorld(
  {
    entra: { signUp: true, roles },
    lists: { signUp: true, roles, missingClaims: "unknown" },
    nested: { signUp: true, roles: [{ claim: "realm_access.roles", value: "admin", instance: "administrator" }] },
  },
  { logLevel: "warn" },
  (line) => void lines.push(line),
);
const { app, issuers, request } = api;
const { goThere, whoIs } = openVisits(api);
const team = await api.createTeam(await api.createUser(), TEAM);

/** Somebody who signs in again and again. */
function openPerson(provider: string) {
  const subject = uniqueName("person");
  const visitor = createVisitor(app);
  return async (claims: object) => {
    const own = { email: `${subject}@acme.example`, email_verified: true, ...claims };
    issuers.get(provider)?.setAccount(subject, own);
    const done = await visitor.get(await goThere(visitor, provider, subject), CROSS_SITE);
    assert.equal(done.status, 303, done.problem ?? "");
    const session = visitor.cookies.get("reeve") ?? "";
    const { status, body } = await request("GET", `/v2/teams/${team.id}`, { session });
    return [(await whoIs(visitor)).isAdmin, status === 200 ? (body.membership?.role ?? null) : null];
  };
}

const GROUPS = ["admins", "developers"];
const ELSEWHERE = { _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint: "https://graph.example" } } };

test("groups that are said to be elsewhere end nothing, and the log says once what to change", async () => {
  const signIn = openPerson("entra");
  assert.deepEqual(await signIn({ groups: GROUPS }), [true, "DEVELOPER"]);
  const before = lines.length;
  for (const claims of [
    ELSEWHERE,
    { hasgroups: true },
    { hasgroups: "true" },
    ...[null, [], ""].flatMap((groups) => [
      { ...ELSEWHERE, groups },
      { hasgroups: true, groups },
    ]),
  ]) {
    assert.deepEqual(await signIn(claims), [true, "DEVELOPER"], JSON.stringify(claims));
  }
  const said = lines.slice(before).filter((line) => line.includes('"claim":"groups"'));
  assert.equal(said.length, 1, lines.slice(before).join(""));
  const { level, provider, msg } = JSON.parse(said[0] as string);
  assert.deepEqual([level, provider], ["warn", "entra"]);
  assert.match(
    msg,
    /values of the claim "groups" are elsewhere: .* stays as it is\. Have the provider send fewer values/,
  );
  assert.deepEqual(await signIn({ groups: [] }), [false, null], "an empty list is none");
  assert.deepEqual(await signIn(ELSEWHERE), [false, null], "and nothing comes back");
});

test("what is known still gives, and takes nothing that the unknown may have given", async () => {
  const signIn = openPerson("entra");
  const viewer = { realm_access: { roles: ["viewer"] } };
  assert.deepEqual(await signIn({ ...ELSEWHERE, ...viewer }), [false, "VIEWER"], "they join");
  assert.deepEqual(await signIn({ groups: GROUPS, ...viewer }), [true, "DEVELOPER"]);
  assert.deepEqual(await signIn({ ...ELSEWHERE, ...viewer }), [true, "DEVELOPER"], "not lowered");
  assert.deepEqual(await signIn({ ...ELSEWHERE, realm_access: { roles: ["owner"] } }), [true, "OWNER"], "raised");
  assert.deepEqual(await signIn({ groups: ["developers"] }), [false, "DEVELOPER"], "groups are known again");
});

test("a nested roles claim is unknown where the object that it is in is", async () => {
  const signIn = openPerson("nested");
  assert.equal((await signIn({ realm_access: { roles: ["admin"] } }))[0], true);
  assert.equal((await signIn({ _claim_names: { realm_access: "s" } }))[0], true);
  assert.equal((await signIn({ realm_access: {}, _claim_names: { realm_access: "s" } }))[0], true);
  assert.equal((await signIn({ _claim_names: { other: "s" }, realm_access: { roles: [] } }))[0], false);
});

test("a claim that is missing without a word is none, or unknown where the setting says so", async () => {
  const signIn = openPerson("entra");
  await signIn({ groups: GROUPS });
  const before = lines.length;
  assert.deepEqual(await signIn({ groups: GROUPS, realm_access: undefined }), [true, "DEVELOPER"]);
  assert.deepEqual(await signIn({}), [false, null]);
  assert.match(
    lines.slice(before).join(""),
    /no claim \\"groups\\": it counts as empty, .* set missingClaims: unknown/,
  );
  const other = openPerson("lists");
  assert.deepEqual(await other({ groups: GROUPS, realm_access: { roles: [] } }), [true, "DEVELOPER"]);
  assert.deepEqual(await other({}), [true, "DEVELOPER"]);
  assert.deepEqual(await other({ groups: [], realm_access: { roles: [] } }), [false, null]);
});
