import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkDestination, explainProblems, peerProblems } from "./egress.ts";
import type { EgressRules } from "./egress.ts";

function rulesOf(...allow: string[]): EgressRules {
  const ports = [80, 443, 8_000].map((first) => [first, first === 8_000 ? 9_000 : first] as const);
  return { allow, ports };
}

const rules = rulesOf();

function problemOf(url: string, by: EgressRules = rules): string | null {
  const destination = checkDestination(url, by);
  return "problems" in destination ? explainProblems(destination.problems, { isOperator: false }) : null;
}

describe("URLs", () => {
  test("are allowed with http or https, without credentials, and with a usual port", () => {
    for (const url of [
      "http://example.com",
      "https://hooks.example.com/a/b?c=d#e",
      "HTTPS://EXAMPLE.COM:8443/",
      "http://münchen.example/ü",
      "http://93.184.216.34:9000/",
    ]) {
      assert.equal(problemOf(url), null, url);
    }
    for (const [url, problem] of [
      ["ftp://example.com/", /starts with http:/],
      ["http:example.com", /starts with http:/],
      ["//example.com/", /starts with http:/],
      ["http://", /starts with http:/],
      ["https:///", /starts with http:/],
      ["http://exa mple.com/", /without spaces/],
      ["http://example.com/\n", /without spaces/],
      ["http://exa\u00admple.com/", /invisible/],
      ["http://example.com/\u202Egro.elpmaxe", /invisible/],
      ["http://example.com/\u009b2J", /control/],
      ["http://example.com/\u2028", /spaces/],
      ["http://user@example.com/", /user name and password/],
      ["http://:password@example.com/", /user name and password/],
      ["http://example.com:22/", /a port among 80, 443, 8000-9000, got 22$/],
      ["http://example.com:0/", /got 0$/],
      ["http://example.com:9001/", /got 9001$/],
      [`http://example.com/${"a".repeat(2_048)}`, /at most 2048 characters/],
    ] as const) {
      assert.match(problemOf(url) ?? "allowed", problem, url);
    }
  });

  test("a name is checked when connecting, but localhost is refused unless loopback is allowed", () => {
    for (const host of ["localhost", "LOCALHOST", "localhost.", "app.localhost", "app.localhost."]) {
      assert.match(problemOf(`http://${host}:8080/`) ?? "allowed", /got loopback/, host);
      assert.equal(problemOf(`http://${host}:8080/`, rulesOf("localhost", "app.localhost")), null);
      assert.equal(problemOf(`http://${host}:8080/`, rulesOf("127.0.0.0/8")), null);
      assert.equal(problemOf(`http://${host}:8080/`, rulesOf("::1/128")), null);
    }
    assert.equal(problemOf("http://notlocalhost/"), null);
    assert.equal(problemOf("http://localhost.example.com/"), null);
  });

  test("all reasons are reported together, to operators with the setting that would allow it", () => {
    for (const [url, allow, problem] of [
      [
        "http://127.0.0.1:3000/",
        [],
        "expected a public address, got loopback (127.0.0.0/8) (REEVE_EGRESS_ALLOW=127.0.0.1 would allow it); " +
          "expected a port among 80, 443, 8000-9000, got 3000",
      ],
      [
        "http://localhost:3000/",
        [],
        "expected a public address, got loopback (localhost) (REEVE_EGRESS_ALLOW=localhost would allow it); " +
          "expected a port among 80, 443, 8000-9000, got 3000",
      ],
      [
        "https://example.com:3000/",
        ["localhost"],
        "expected a port among 80, 443, 8000-9000, got 3000 (REEVE_EGRESS_PORTS=+3000 would allow it)",
      ],
      [
        "http://me@[::1]:22/\u200b",
        ["127.0.0.1/32"],
        "expected a URL without spaces, control characters and invisible ones; " +
          "expected a URL without user name and password; " +
          "expected a public address, got loopback (::1/128) (REEVE_EGRESS_ALLOW=::1 would allow it); " +
          "expected a port among 80, 443, 8000-9000, got 22",
      ],
    ] as const) {
      const destination = checkDestination(url, rulesOf(...allow));
      assert.ok("problems" in destination, url);
      assert.equal(explainProblems(destination.problems, { isOperator: true }), problem);
      const told = explainProblems(destination.problems, { isOperator: false });
      assert.equal(told, problem.replaceAll(/ \(REEVE_.*? would allow it\)/g, ""));
    }
  });

  test("an allowed destination is reachable on every port, and no other destination is", () => {
    const allowed = rulesOf("127.0.0.1/32", "db.internal", "fd00::/8");
    for (const [url, isAllowed] of [
      ["http://127.0.0.1:1/", true],
      ["http://127.0.0.2:8000/", false],
      ["http://93.184.216.34:1/", false],
      ["http://DB.internal.:65535/", true],
      ["http://x.db.internal:22/", true],
      ["http://[fd00::1]:22/", true],
      ["http://[fc00::1]:8000/", false],
    ] as const) {
      assert.equal(problemOf(url, allowed) === null, isAllowed, url);
    }
    const peer = (hostname: string, ...addresses: string[]) =>
      peerProblems({ hostname, port: 22, addresses }, allowed).map(({ setting }) => setting);
    // An allowed name may resolve to any address; other names are judged by all of their addresses.
    assert.deepEqual(peer("db.internal", "10.0.0.1"), []);
    assert.deepEqual(peer("x.db.internal", "127.0.0.1", "fd00::1"), []);
    assert.deepEqual(peer("x.db.internal", "127.0.0.1", "93.184.216.34"), ["REEVE_EGRESS_PORTS=+22"]);
    assert.deepEqual(peer("x.db.internal", "127.0.0.1", "10.0.0.1"), ["REEVE_EGRESS_ALLOW=10.0.0.1", null]);
    // Without an allowed network no name can use another port, so the port is refused before the name is resolved.
    assert.match(problemOf("http://x.internal:22/", rulesOf("db.internal")) ?? "", /got 22$/);
    assert.equal(problemOf("http://x.internal:22/", allowed), null);
  });

  test("the URL is returned in its normalized form", () => {
    const destination = checkDestination("http://0x5db8d822:80/a/../b?c#d", rules);
    assert.equal("url" in destination && destination.url.href, "http://93.184.216.34/b?c#d");
  });
});
