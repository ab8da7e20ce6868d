// What holds for all signatures, and that ordinary requests pass every category of `crs`.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ORDINARY_REQUESTS } from "../../../test/ordinary-requests.ts";
import { findManaged } from "../../../test/firewall/naive-managed.ts";
import { readRequest } from "../../../test/firewall/naive-request.ts";
import { CRS_CATEGORIES } from "../config.ts";
import type { Configuration } from "../config.ts";
import { CRS, MANAGED } from "./sets.ts";

const ALL = [...Object.values(MANAGED), ...Object.values(CRS)].flatMap(({ signatures }) => signatures);

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
    const crs = Object.fromEntries(CRS_CATEGORIES.map((name) => [name, { active: true, action: "log" }]));
    const configuration = { firewallEnabled: true, rules: [], ips: [], crs } as unknown as Configuration;
    const fired = ORDINARY_REQUESTS.flatMap((request) =>
      findManaged(configuration, readRequest(request)).map(({ signature }) => `${signature}: ${request.url}`),
    );
    assert.deepEqual(fired, []);
  });
});
