// What a rule says about a subject of GitHub of the other form.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findClaimProblem, matchClaims } from "./claim-rules.ts";
import { findSubjectHint } from "./github-subject.ts";

const NEW = "repo:acme@1234567/shop@8901234:environment:production";
const OLD = "repo:acme/shop:environment:production";

test("a rule of the old form is told the pattern that fits, which a rule may have", () => {
  for (const [old, next] of [
    [OLD, NEW],
    ["repo:acme/shop:**", "repo:acme@1234567/shop@8901234:**"],
    ["repo:acme/*:environment:production", "repo:acme@1234567/*:environment:production"],
    ["repo:acme/**", "repo:acme@1234567/**"],
    ["repo:acme/*op:environment:*", NEW],
  ] as const) {
    const hint = findSubjectHint(["repo:acme/other:x", 7, old], NEW) ?? "";
    assert.ok(hint.includes(`add ${JSON.stringify(next)} beside ${JSON.stringify(old)}`), hint);
    assert.equal(findClaimProblem({ sub: [old, next] }, "https://token.actions.githubusercontent.com"), null);
    assert.ok(matchClaims({ sub: next }, { sub: NEW })[0]?.fits);
  }
});

test("a rule of the new form is told the old one", () => {
  for (const pattern of [NEW, "repo:acme@*/shop@*:environment:production"]) {
    assert.ok(
      findSubjectHint([pattern], OLD)?.includes(`add ${JSON.stringify(OLD)} beside ${JSON.stringify(pattern)}`),
    );
  }
});

test("nothing is said where ids are not why it does not fit, or it fits", () => {
  for (const [pattern, subject] of [
    [OLD, OLD],
    ["repo:acme/shop:ref:refs/heads/main", NEW],
    ["repo:evil/shop:environment:production", NEW],
    ["repo:acme@9/shop@*:ref:x", OLD],
    [OLD, "repo:evil@1/acme/shop@2:environment:production"],
    ["system:serviceaccount:a:b", "system:serviceaccount:a:c"],
  ] as const) {
    assert.equal(findSubjectHint([pattern], subject), null, pattern);
  }
});
