import assert from "node:assert/strict";
import { test } from "node:test";
import type { RoleMapping } from "../../config/oidc-file.ts";
import { TEAM_ROLES, higherRole } from "../../kernel/roles.ts";
import type { TeamRole } from "../../kernel/roles.ts";
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

test("a claim that is null in the ID token hides none of the userinfo response", () => {
  const merged = mergeClaims({ sub: "1", groups: null, name: "Ada" }, { sub: "1", groups: ["admins"], name: "A." });
  assert.deepEqual([merged["groups"], merged["name"]], [["admins"], "Ada"]);
});
