// Which claims of a token fit a rule, and which rules name whose tokens they trust.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseClaimPath } from "../../platform/kernel/text/claim-path.ts";
import { findClaimProblem, matchClaims } from "./claim-rules.ts";

test("a rule has a bounded number of stars, and says how many it has", () => {
  const issuer = "https://id.example.com";
  const claims = { sub: `acme/${"a*b**".repeat(5)}`, groups: ["x*".repeat(9), "y**", 7, true] };
  assert.equal(findClaimProblem(claims, issuer), null);
  assert.deepEqual(findClaimProblem({ ...claims, '["sub"]': "z*" }, issuer), [
    "body.claims",
    "expected at most 20 * or ** in all patterns together, got 21",
  ]);
});

test("paths lead through objects alone, and to own members", () => {
  assert.deepEqual(parseClaimPath("a.b"), ["a", "b"]);
  assert.deepEqual(parseClaimPath('["kubernetes.io","a/b"]'), ["kubernetes.io", "a/b"]);
  for (const path of ["", "a.", ".a", "[", "[]", "[1]", '[""]', "[null]"])
    assert.equal(parseClaimPath(path), null, path);
  assert.equal(parseClaimPath(Array.from({ length: 21 }, () => "a").join(".")), null, "a bounded number of names");
  const claims = { list: ["x"], sub: "abc", deep: { list: [1, true, null] } };
  const fits = (path: string, wanted: string | number | boolean) => matchClaims({ [path]: wanted }, claims)[0]?.fits;
  assert.equal(fits("list", "x"), true);
  assert.equal(fits("list.0", "x"), false);
  assert.equal(fits("sub.length", 3), false);
  assert.equal(fits("toString.name", "toString"), false);
  assert.equal(fits("deep.list", true), true);
  assert.equal(fits("deep.list", "1"), false);
  assert.equal(fits("deep", "**"), false);
  assert.equal(fits("sub", "a**"), true);
  assert.equal(matchClaims({ sub: "a**" }, { sub: "a".repeat(1_024) })[0]?.fits, true);
  const long = { sub: "a".repeat(1_025), groups: ["x:y", "team-a"] };
  assert.equal(matchClaims({ sub: "a**" }, long)[0]?.fits, false, "longer texts fit no glob");
  assert.equal(matchClaims({ groups: ["x*", "team-*"] }, long)[0]?.fits, true);
  assert.equal(matchClaims({ groups: "x*" }, long)[0]?.fits, false, "a star stops at separators");
});

test("names with dots are found as they are written, the longest first, or as a list", () => {
  const circle = {
    "oidc.circleci.com/project-id": "p-1",
    "a.b": { c: "own" },
    a: { b: { c: "nested" }, "d.e": "deep" },
  };
  const got = (path: string) => matchClaims({ [path]: "x" }, circle)[0]?.got;
  assert.equal(got("oidc.circleci.com/project-id"), '"p-1"');
  assert.equal(got('["oidc.circleci.com/project-id"]'), '"p-1"');
  assert.equal(got("a.b.c"), '"own"');
  assert.equal(got('["a","b","c"]'), '"nested"');
  assert.equal(got("a.d.e"), '"deep"');
  assert.equal(got('["a","d","e"]'), null);
  assert.equal(got("oidc.circleci.com"), null);
});

test("GitHub's subjects with ids fit an owner with any id, and no other owner", () => {
  const github = "https://token.actions.githubusercontent.com";
  const subject = "repo:acme@1234567/shop@8901234:environment:production";
  const fits = (sub: string | string[], of = subject) => matchClaims({ sub }, { sub: of })[0]?.fits;
  for (const sub of [
    "repo:acme@*/shop@*:environment:production",
    "repo:acme@*/**",
    "repo:acme@1234567/shop@*:environment:production",
    ["repo:acme/shop:environment:production", "repo:acme@*/shop@*:environment:production"],
  ]) {
    assert.equal(findClaimProblem({ sub }, github), null, String(sub));
    assert.ok(fits(sub), String(sub));
    for (const other of [
      "repo:acme-evil@1/shop@8901234:environment:production",
      "repo:acme@1/evil/shop@2:environment:production",
      "repo:acme@1:x/shop@2:environment:production",
      "repo:evil@1/acme@2:environment:production",
      "repo:acme@1234567:environment:production",
    ]) {
      assert.ok(String(sub).endsWith("**") || !fits(sub, other), `${String(sub)} ${other}`);
    }
  }
  for (const sub of [
    "repo:acme@**",
    "repo:acme@**/shop@*:environment:production",
    "repo:acme@*",
    "repo:acme@*:**",
    "repo:acme@1*/shop@*:x",
    "repo:acme*@*/shop@*:x",
    "repo:@*/shop@*:x",
    "repo:*@1234567/shop@*:x",
    "repository:acme@*/shop",
    "repository_owner:acme@*/x",
  ]) {
    assert.equal(findClaimProblem({ sub }, github)?.[0], "body.claims", sub);
  }
  assert.equal(findClaimProblem({ repository: "acme@*/shop" }, github)?.[0], "body.claims");
});

test("a rule names whose tokens it trusts", () => {
  const [github, own] = ["https://token.actions.githubusercontent.com", "https://id.example.com"];
  const isRefused = (claims: Parameters<typeof findClaimProblem>[0], issuer: string) =>
    findClaimProblem(claims, issuer)?.[0] === "body.claims";
  for (const claims of [
    { iss: github },
    { aud: "x" },
    { sub: "**" },
    { sub: "repo:**" },
    { sub: "repo:*/shop:**" },
    { sub: ["repo:acme/shop:*", "repo:*"] },
    { '["aud"]': "x", '["iss"]': github },
    { admin: true },
    {},
  ]) {
    assert.ok(isRefused(claims, github), JSON.stringify(claims));
    assert.ok(isRefused(claims, own), JSON.stringify(claims));
  }
  for (const claims of [
    { ref: "refs/heads/main" },
    { sub: "repo:acme*" },
    { sub: "repo:acme*/**" },
    { environment: "x" },
    // A stranger calls a workflow of the owner, also where subjects are made of that.
    { job_workflow_ref: ["acme/ci/.github/workflows/a.yml@*", "acme/other/**"] },
    { sub: "job_workflow_ref:acme/ci/**" },
    { sub: "environment:acme" },
    { sub: ["repo:acme/shop:*", "ref:acme"] },
    { sub: "acme/shop" },
    { sub: "repository_owner:acme*" },
    { workflow_ref: "acme/ci/**" },
    { actor: "acme" },
    { actor_id: 7 },
    { "deep.repository": "acme/shop" },
    { repository_id: "12*" },
    { "repository.name": "acme/shop" },
    { repository_owner: ["acme", "a*"] },
  ]) {
    assert.ok(isRefused(claims, github), JSON.stringify(claims));
    assert.ok(!isRefused(claims, own), JSON.stringify(claims));
  }
  for (const claims of [
    { sub: "repo:acme/*:**" },
    { repository: "acme/*" },
    { repository_owner: "acme" },
    { repository_owner_id: "1234567" },
    { sub: "repository_owner_id:1234567:**" },
    { sub: "repo:acme@1234567/shop@89:**" },
    { repository: "acme/shop", job_workflow_ref: "acme/ci/.github/workflows/a.yml@*" },
    { '["repository_id"]': 12 },
  ]) {
    assert.ok(!isRefused(claims, github), JSON.stringify(claims));
    assert.ok(!isRefused(claims, own), JSON.stringify(claims));
  }
  for (const claims of [
    { ref: "main" },
    { user_login: "someone" },
    { user_id: "7" },
    { groups_direct: "acme" },
    { project_path: "acme*" },
    { sub: "user_login:someone:**" },
  ]) {
    assert.ok(isRefused(claims, "https://gitlab.com"), JSON.stringify(claims));
  }
  for (const claims of [
    { project_path: "acme/**", ref: "main" },
    { namespace_path: ["acme", "acme/**"] },
    { namespace_id: 7 },
    { sub: "project_path:acme/shop:ref_type:branch:ref:main" },
  ]) {
    assert.ok(!isRefused(claims, "https://gitlab.com"), JSON.stringify(claims));
  }
  const enterprise = `${github}/acme-enterprise`;
  assert.ok(isRefused({ ref: "refs/heads/main" }, enterprise));
  assert.ok(!isRefused({ repository_owner: "acme" }, enterprise));
  assert.ok(!isRefused({ ref: "refs/heads/main" }, `${github}.example.com`), "an issuer of its own");
});
