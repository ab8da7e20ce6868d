// What holds for all signatures, and that ordinary requests pass every category of `crs`.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ORDINARY_REQUESTS } from "../../../test/ordinary-requests.ts";
import { isFound } from "../../../test/signatures.ts";
import type { RequestFacts } from "../facts.ts";
import { CRS, MANAGED } from "./sets.ts";
import type { Target } from "./sets.ts";

const ALL = [...Object.values(MANAGED), ...Object.values(CRS)].flatMap(({ signatures }) => signatures);

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

const query = ({ url }: RequestFacts) => [...new URLSearchParams(url.split("?", 2)[1])];
const headers = ({ headers: all = {} }: RequestFacts, name: string) => [all[name] ?? []].flat();

/** How requests are read whose URLs are well formed. */
const READ: Readonly<Partial<Record<Target, (facts: RequestFacts) => readonly string[]>>> = {
  path: ({ url }) => [formDecoded(url.split("?")[0] as string)],
  raw_path: ({ url }) => [url.split("?")[0] as string],
  query_names: (facts) => query(facts).map(([name]) => name),
  query_values: (facts) => query(facts).map(([, value]) => value),
  headers: (facts) => Object.values(facts.headers ?? {}).flat(),
  cookies: (facts) =>
    headers(facts, "cookie").flatMap((text) => text.split("; ").map((piece) => piece.slice(piece.indexOf("=") + 1))),
  user_agent: (facts) => headers(facts, "user-agent"),
  method: ({ method = "GET" }) => [method],
  body: ({ body }) => (body === undefined ? [] : [body, formDecoded(body)]),
};

function valuesOf(facts: RequestFacts, target: Target): readonly string[] {
  return target.startsWith("header:") ? headers(facts, target.slice("header:".length)) : (READ[target]?.(facts) ?? []);
}

describe("signatures", () => {
  it("have ids of their own", () => {
    assert.equal(new Set(ALL.map(({ id }) => id)).size, ALL.length);
  });

  it("have a pattern, or fire when there is nothing", () => {
    for (const { id, pattern, isAbsent } of ALL) assert.notEqual(pattern === undefined, isAbsent === undefined, id);
  });

  it("are written in what RE2 and V8 read alike", () => {
    for (const { id, pattern = "", literals = [] } of ALL) {
      assert.match(pattern, /^[\x20-\x7e]*$/, `${id}: ASCII`);
      assert.doesNotMatch(pattern, /[A-Z]/, `${id}: lower case`);
      assert.doesNotMatch(pattern, /\\[sSwWdDpPBzZAQk1-9]|\(\?[^:]/, `${id}: a class or group that differs`);
      const withoutClasses = pattern.replaceAll(/\\./g, "").replaceAll(/\[[^\]]*\]/g, "");
      assert.ok(!withoutClasses.includes("."), `${id}: the point`);
      for (const literal of literals) assert.equal(literal, literal.toLowerCase(), id);
    }
  });

  it("name literals where long texts are read", () => {
    for (const { id, targets, literals } of ALL) {
      if (targets.includes("body") || targets.includes("headers")) assert.ok(literals && literals.length > 0, id);
    }
  });
});

describe("ordinary requests", () => {
  it("are a hundred", () => {
    assert.ok(ORDINARY_REQUESTS.length >= 100, String(ORDINARY_REQUESTS.length));
  });

  it("pass every category", () => {
    const fired = ORDINARY_REQUESTS.flatMap((request) =>
      Object.values(CRS)
        .flatMap(({ signatures }) => signatures)
        .filter((signature) =>
          signature.targets.some((target) => valuesOf(request, target).some((value) => isFound(signature, value))),
        )
        .map(({ id }) => `${id}: ${request.method ?? "GET"} ${request.url}`),
    );
    assert.deepEqual(fired, []);
  });
});
