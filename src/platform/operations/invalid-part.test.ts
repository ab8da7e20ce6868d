// What is wrong with a large body is found in good time, and named as in a small one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { threadMs } from "../../../test/harness/thread-time.ts";
import { evaluateContract } from "../../firewall/evaluation/contract.ts";
import { compileCheck } from "./validation.ts";

const check = compileCheck("body", evaluateContract.evaluateFirewallConfig.body, "bad_request");
const many = <T>(count: number, value: T) => Array.from({ length: count }, () => value);
const headers = (value: unknown) => Object.fromEntries(many(127, value).map((one, at) => [`h${at}`, one]));
const valid = { url: "/", headers: headers(many(127, "a")) };

const CASES: readonly (readonly [name: string, body: unknown, problem: string])[] = [
  ["70 000 requests", { requests: many(70_000, { url: "/" }) }, "requests: expected at most 1000 items"],
  [
    "a header with 149 000 values",
    { requests: [{ url: "/", headers: { x: many(149_000, "a") } }] },
    "requests[0].headers.x: expected at most 128 items",
  ],
  [
    "a wrong type behind nine valid requests",
    { requests: [...many(9, valid), { url: "/", headers: { ...headers("a"), "last/one~": 1 } }] },
    "requests[9].headers.last/one~: expected a string, got a number",
  ],
  [
    "an unknown member behind nine valid requests",
    { requests: [...many(9, valid), { url: "/", nothing: 1 }] },
    "requests[9].nothing: unknown key; expected one of url, method, headers, ip, protocol, geo, ja3, ja4, region, environment, domainEnvironment, route, ...",
  ],
  ["no url in a request with many headers", { requests: [{ headers: valid.headers }] }, "requests[0].url: is required"],
];

for (const [name, body, problem] of CASES) {
  test(`${name}: ${problem}`, () => {
    const refuse = () => assert.throws(() => check(body), { message: problem });
    refuse();
    // A quarter of a second and more where the library looks through the whole value; the first call compiles the schemas.
    const ms = Math.min(threadMs(refuse), threadMs(refuse), threadMs(refuse));
    assert.ok(ms < 100, `${ms} ms`);
  });
}
