// Checks signatures of managed rule sets against texts that they must and must not be found in, in both readings of a
// pattern.
import assert from "node:assert/strict";
import { it } from "node:test";
import { RE2JS } from "re2js";
import type { Signature, SignatureSet } from "../src/evaluator/managed/sets.ts";

/** By the signature's id: values of its targets. */
export type SignatureCases = Readonly<
  Record<string, { readonly found: readonly string[]; readonly notFound: readonly string[] }>
>;

const compiled = new Map<string, RE2JS>();

function linear(pattern: string): RE2JS {
  const known = compiled.get(pattern) ?? RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
  compiled.set(pattern, known);
  return known;
}

/** Whether the pattern is found, once RE2 and V8 have said the same. */
export function isFound(signature: Signature, text: string): boolean {
  const pattern = signature.pattern ?? assert.fail(`${signature.id} has no pattern`);
  const found = linear(pattern).matcher(text).find();
  assert.equal(new RegExp(pattern, "i").test(text), found, `${signature.id}: V8 and RE2 on ${JSON.stringify(text)}`);
  if (found && signature.literals) {
    const lower = text.toLowerCase();
    const isTold = signature.literals.some((literal) => lower.includes(literal));
    assert.ok(isTold, `${signature.id}: no literal is in ${JSON.stringify(text)}`);
  }
  return found;
}

/** Declares a test for each signature of a set; every one with a pattern needs its cases. */
export function testSignatures(set: SignatureSet, cases: SignatureCases): void {
  for (const signature of set.signatures.filter(({ pattern }) => pattern !== undefined)) {
    it(signature.id, () => {
      const { found, notFound } = cases[signature.id] ?? assert.fail("it has no cases");
      assert.ok(found.length >= 2 && notFound.length >= 2, "two texts of each kind at least");
      for (const text of found) {
        assert.ok(isFound(signature, text), `not found in ${text}`);
        assert.ok(isFound(signature, text.toUpperCase().toLowerCase()));
      }
      for (const text of notFound) assert.ok(!isFound(signature, text), `found in ${text}`);
    });
  }
  it("has cases for no signature that it has not", () => {
    const known = new Set(set.signatures.map(({ id }) => id));
    assert.deepEqual(
      Object.keys(cases).filter((id) => !known.has(id)),
      [],
    );
  });
}
