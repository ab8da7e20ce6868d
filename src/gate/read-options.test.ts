import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { freePort } from "../../test/harness/free-port.ts";
import { createGate } from "./middleware.ts";
import type { GateOptions } from "./middleware.ts";

const GOOD = { server: "https://reeve.example.com", key: "rvk_0123456789abcdef", project: "shop" };

describe("createGate", () => {
  for (const [options, message] of [
    [
      { trustedProxies: ["10.0.0.0/33"] },
      /^createGate: trustedProxies: expected IP addresses or CIDRs.*10\.0\.0\.0\/33/,
    ],
    [{ trustedProxies: "10.0.0.1" }, /^createGate: trustedProxies: expected a list/],
    [
      { server: "ftp://x" },
      /^createGate: server: expected a URL that starts with http:\/\/ or https:\/\/, got "ftp:\/\/x"/,
    ],
    [{ server: undefined }, /^createGate: server: expected a value/],
    [{ key: undefined }, /^createGate: key: expected a value/],
    [{ key: "short key" }, /^createGate: key: expected 16 to 256 letters, digits or underscores$/],
    [{ project: undefined }, /^createGate: project: expected a value/],
    [{ project: "acme/shop" }, /^createGate: project: expected 1 to 100/],
    [{ team: "" }, /^createGate: team: expected 1 to 100/],
    [{ whenError: "maybe" }, /^createGate: whenError: expected open or closed, got "maybe"/],
    [{ whenNoBundle: "close" }, /^createGate: whenNoBundle: expected open or closed/],
    [{ whenBodyUnread: true }, /^createGate: whenBodyUnread: expected text/],
    [{ bodyLimit: 12 }, /^createGate: bodyLimit: expected 1024 to 1048576 bytes, got 12/],
    [{ detectOnly: "yes" }, /^createGate: detectOnly: expected true or false/],
    [{ detctOnly: true }, /^createGate: detctOnly: there is no such option; the options are server, key, /],
    [{ redisUrl: "http://:hunter2@redis" }, /^createGate: redisUrl: expected redis:\/\/HOST[^2]*$/],
    [{ rateLimitSecret: "short" }, /^createGate: rateLimitSecret: expected 16 to 256 printable characters of ASCII$/],
    [{ ja4Header: "cookie" }, /^createGate: ja4Header: expected a header that has no other use/],
    [{ dir: "" }, /^createGate: dir: expected the path of a folder/],
    [{ log: console.log }, /^createGate: log: expected an object with the functions/],
  ] as const) {
    it(`refuses ${JSON.stringify(options, (_name, value) => (value === undefined ? "nothing" : value))}`, () => {
      assert.throws(() => createGate({ ...GOOD, ...options } as unknown as GateOptions), {
        name: "TypeError",
        message,
      });
    });
  }

  it("takes no option that is undefined for a value", async () => {
    const options = {
      ...GOOD,
      server: `http://127.0.0.1:${await freePort()}`,
      team: undefined,
      dir: undefined,
      log: { info() {}, warn() {}, error() {} },
    };
    const gate = createGate(options as unknown as GateOptions);
    await gate.ready;
    await gate.close();
  });
});
