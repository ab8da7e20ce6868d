import assert from "node:assert/strict";
import { test } from "node:test";
import type { RoleMapping } from "./oidc-file.ts";
import { TEAM_ROLES, higherRole } from "../../platform/kernel/roles.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import { mapRoles, mergeClaims } from "./role-mapping.ts";

const admin = (claim: string, value: string): RoleMapping => ({ claim, value, instance: "administrator" });
const inTeam = (claim: string, value: string, role: TeamRole, team = "acme"): RoleMapping => ({
  claim,
  value,
  team,
  role,
});

test("without mappings nothing is said about any role", () => {
  assert.deepEqual(mapRoles([], { groups: ["admins"] }), { isAdministrator: null, teams: [] });
});

test("a mapping fits a text, or one value of a list", () => {
  const mappings = [admin("groups", "admins"), inTeam("groups", "developers", "DEVELOPER")];
  assert.deepEqual(mapRoles(mappings, { groups: "admins" }), {
    isAdministrator: true,
    teams: [{ team: "acme", role: null }],
  });
  assert.deepEqual(mapRoles(mappings, { groups: ["developers", "others"] }), {
    isAdministrator: false,
    teams: [{ team: "acme", role: "DEVELOPER" }],
  });
  assert.deepEqual(mapRoles([admin("level", "3"), inTeam("isStaff", "true", "VIEWER")], { level: 3, isStaff: true }), {
    isAdministrator: true,
    teams: [{ team: "acme", role: "VIEWER" }],
  });
});

test("claims that are missing, or are neither texts nor lists of them, fit nothing", () => {
  for (const claims of [
    {},
    { groups: null },
    { groups: { admins: true } },
    { groups: [["admins"], { name: "admins" }, null] },
    { groups: "admins,others" },
    { groups: ["Admins", "admins "] },
    { groups: [] },
  ]) {
    assert.equal(mapRoles([admin("groups", "admins")], claims).isAdministrator, false, JSON.stringify(claims));
  }
});

test("dots lead into objects, and a name with dots of its own comes first", () => {
  const fits = (path: string, claims: Record<string, unknown>) =>
    mapRoles([admin(path, "admin")], claims).isAdministrator;
  assert.equal(fits("realm_access.roles", { realm_access: { roles: ["admin"] } }), true);
  assert.equal(fits("resource_access.reeve.roles", { resource_access: { reeve: { roles: ["admin"] } } }), true);
  assert.equal(fits("https://acme.com/roles", { "https://acme.com/roles": ["admin"] }), true);
  assert.equal(fits("https://acme.com/app.roles", { "https://acme.com/app": { roles: "admin" } }), true);
  assert.equal(fits("a.b", { "a.b": "other", a: { b: "admin" } }), false);
  for (const path of ["constructor.name", "groups.length", "__proto__.x", "a..b", ".a", "a."]) {
    assert.equal(fits(path, { groups: ["x"], a: { b: "admin" } }), false, path);
  }
});

test("of several mappings that fit a team, the role with most permissions wins, in any order", () => {
  const mappings = [
    inTeam("groups", "a", "VIEWER"),
    inTeam("groups", "b", "MEMBER"),
    inTeam("groups", "c", "OWNER"),
    inTeam("groups", "a", "BILLING", "other"),
  ];
  for (const list of [mappings, mappings.toReversed()]) {
    const { teams } = mapRoles(list, { groups: ["a", "b"] });
    assert.deepEqual(Object.fromEntries(teams.map(({ team, role }) => [team, role])), {
      acme: "MEMBER",
      other: "BILLING",
    });
  }
  assert.equal(mapRoles([admin("g", "x"), admin("g", "y")], { g: "x" }).isAdministrator, true);
  for (const role of TEAM_ROLES) {
    assert.deepEqual([higherRole(role, null), higherRole(role, "OWNER")], [role, "OWNER"]);
  }
  assert.equal(higherRole("SECURITY", "DEVELOPER"), "DEVELOPER");
  assert.equal(higherRole(null, null), null);
});

test("a claim without a value in the ID token hides none of the userinfo response", () => {
  for (const groups of [null, ""]) {
    const merged = mergeClaims({ sub: "1", groups, name: "Ada" }, { sub: "1", groups: ["admins"], name: "A." });
    assert.deepEqual([merged["groups"], merged["name"]], [["admins"], "Ada"]);
  }
  for (const realm_access of [{}, { roles: "" }, { roles: null }, { roles: {} }]) {
    const merged = mergeClaims({ realm_access }, { realm_access: { roles: ["admin"] } });
    assert.equal(mapRoles([admin("realm_access.roles", "admin")], merged).isAdministrator, true);
  }
  for (const roles of [["user"], []]) {
    const merged = mergeClaims({ realm_access: { roles } }, { realm_access: { roles: ["admin"] } });
    assert.equal(mapRoles([admin("realm_access.roles", "admin")], merged).isAdministrator, false);
  }
});

/** What responses say who leave groups out; `groups` may be there all the same, without any. */
const LEAVING_OUT: readonly Record<string, unknown>[] = [
  { _claim_names: { groups: "src1" } },
  { _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint: "https://graph.example" } } },
  ...[true, "true", 1, "1"].map((hasgroups) => ({ hasgroups })),
  { groups: "src1", _claim_sources: { src1: { endpoint: "https://graph.example" } } },
  { "groups:src1": "https://graph.example", _claim_sources: { src1: { endpoint: "https://graph.example" } } },
];
const NO_GROUPS = [{}, ...[[], null, "", {}, [""]].map((groups) => ({ groups }))];
const MAPPINGS = [admin("groups", "admins"), inTeam("groups", "developers", "DEVELOPER")];
const UNKNOWN = { isAdministrator: null, teams: [{ team: "acme", role: null, isPartial: true }] };
const NONE = { isAdministrator: false, teams: [{ team: "acme", role: null }] };
/** What two responses together say, and the same the other way round. */
const bothWays = (one: object, other: object, missingClaims?: "none" | "unknown") =>
  [mergeClaims({ ...one }, { ...other }), mergeClaims({ ...other }, { ...one })].map((claims) =>
    mapRoles(MAPPINGS, claims, missingClaims),
  );

test("groups that a response leaves out are unknown, whatever it or the other one has in their place", () => {
  for (const leavingOut of LEAVING_OUT) {
    for (const none of NO_GROUPS) {
      const text = JSON.stringify([leavingOut, none]);
      assert.deepEqual(bothWays({ ...none, ...leavingOut }, {}), [UNKNOWN, UNKNOWN], text);
      assert.deepEqual(bothWays(leavingOut, none), [UNKNOWN, UNKNOWN], text);
    }
  }
});

test("groups that one response has, and does not say to leave out, are known, although the other one does", () => {
  for (const leavingOut of LEAVING_OUT) {
    for (const none of NO_GROUPS) {
      const known = { isAdministrator: false, teams: [{ team: "acme", role: "DEVELOPER" }] };
      const both = bothWays({ ...none, ...leavingOut }, { groups: ["developers"] });
      assert.deepEqual(both, [known, known], JSON.stringify([leavingOut, none]));
    }
  }
});

test("groups beside the word that there are more give, and take nothing", () => {
  for (const leavingOut of LEAVING_OUT.filter((one) => !("groups" in one))) {
    const some = { isAdministrator: null, teams: [{ team: "acme", role: "DEVELOPER", isPartial: true }] };
    const both = bothWays({ ...leavingOut, groups: ["developers"] }, {});
    assert.deepEqual(both, [some, some], JSON.stringify(leavingOut));
  }
});

test("what says nothing of the claim leaves it empty", () => {
  for (const said of [
    { hasgroups: false },
    { hasgroups: "false" },
    { _claim_names: { roles: "src1" } },
    { _claim_names: null },
    { _claim_names: "groups" },
    { _claim_names: ["groups"] },
    { _claim_sources: { src1: { endpoint: "https://graph.example" } } },
    { "groups:src1": "https://graph.example" },
    { hasroles: true },
  ]) {
    const text = JSON.stringify(said);
    assert.deepEqual(bothWays({ ...said, groups: [] }, {}), [NONE, NONE], text);
    assert.deepEqual(bothWays({ ...said, groups: [] }, {}, "unknown"), [NONE, NONE], text);
  }
  assert.deepEqual(bothWays({ groups: "src1" }, {}), [NONE, NONE]);
});

test("an empty text is as no claim, and an empty list is a claim", () => {
  for (const groups of ["", null]) assert.deepEqual(bothWays({ groups }, {}, "unknown"), [UNKNOWN, UNKNOWN]);
  assert.deepEqual(bothWays({ groups: [] }, {}, "unknown"), [NONE, NONE]);
});

test("a nested claim is left out with the object that it is in, also beside an empty list in it", () => {
  const of = (claim: string, claims: object) => mapRoles([admin(claim, "admin")], mergeClaims({}, { ...claims }));
  const said = { _claim_names: { realm_access: "src1" } };
  for (const claim of ["realm_access.roles", '["realm_access","roles"]']) {
    for (const inside of [{}, { roles: [] }, { roles: "" }, { roles: null }]) {
      assert.equal(of(claim, { ...said, realm_access: inside }).isAdministrator, null, JSON.stringify(inside));
    }
    assert.equal(of(claim, { ...said, realm_access: { roles: ["admin"] } }).isAdministrator, true);
    assert.equal(of(claim, { realm_access: { roles: [] } }).isAdministrator, false);
  }
});
