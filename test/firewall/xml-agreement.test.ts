// The evaluator and the naive interpreter find the same values in XML, under each type and charset that a body of XML may have.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeBody } from "../../src/firewall/evaluator/body/decode-body.ts";
import { readBody } from "./naive/body.ts";
import { xmlBodies } from "./xml-bodies.ts";

const TYPES = [
  "application/xml",
  "text/xml",
  "application/atom+xml",
  "text/plain",
  "application/x-www-form-urlencoded",
];
const CHARSETS = ["", "; charset=utf-8", "; charset=iso-8859-1", "; charset=windows-1252", "; charset=us-ascii"];

const types = fc.tuple(fc.constantFrom(...TYPES), fc.constantFrom(...CHARSETS)).map((parts) => parts.join(""));
const sorted = (values: readonly (readonly [string, string])[]) =>
  [...new Set(values.map((pair) => JSON.stringify(pair)))].toSorted();

test("both read the same values of XML", () => {
  let read = 0;
  fc.assert(
    fc.property(types, xmlBodies, (contentType, body) => {
      const { values, problem } = decodeBody({ contentType, contentEncoding: undefined }, body);
      const naive = readBody({ url: "/", body }, [["content-type", contentType]]);
      assert.equal(problem === null, naive !== undefined, problem?.found ?? "read");
      assert.deepEqual(sorted(values), sorted(naive ?? []));
      if (naive) read++;
    }),
    { numRuns: 3_000, seed: 1 },
  );
  assert.ok(read > 1_000, `of them ${read} can be read`);
});
