import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readGate } from "./config.ts";

test("the counter store is a URL, in a file or not, and no message repeats it", (t) => {
  assert.equal(readGate({}, {}).redisUrl, null);
  const url = "rediss://gate:hunter2@redis.example.com:6379/1";
  assert.equal(readGate({}, { REEVE_GATE_REDIS_URL: url }).redisUrl, url);
  const folder = mkdtempSync(join(tmpdir(), "reeve-gate-settings-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "url"), `${url}\n`);
  assert.equal(readGate({}, { REEVE_GATE_REDIS_URL_FILE: join(folder, "url") }).redisUrl, url);
  assert.throws(
    () => readGate({}, { REEVE_GATE_REDIS_URL: "http://:hunter2@redis" }),
    ({ message }: Error) =>
      message.startsWith("REEVE_GATE_REDIS_URL: expected redis://HOST") && !message.includes("hunter2"),
  );
});

const refused = (environment: Readonly<Record<string, string>>, expected: RegExp) =>
  assert.throws(() => readGate({}, environment), { name: "ConfigError", message: expected });

test("a key file that a flag names is named by its path, unless that is a key", () => {
  const withFlag = (keyFile: string) => () => readGate({ keyFile }, {});
  assert.throws(
    withFlag("/nowhere/gate.ky"),
    /^ConfigError: --key-file "\/nowhere\/gate\.ky": expected a file that can be read: there is no/,
  );
  assert.throws(
    withFlag("rvk_hidden_hidden_hidden"),
    /^ConfigError: --key-file: expected a file that can be read: there is no/,
  );
});

test("a host belongs to one project", () => {
  refused(
    { REEVE_GATE_HOSTS: "a.test=acme/shop,b.test=acme/shop,A.test=acme/waf" },
    /^REEVE_GATE_HOSTS: expected each host once, and a\.test is there twice/,
  );
});

test("what is only watched is a host or project of the gate, or a rule", () => {
  const hosts = "shop.test=acme/shop,*.acme.com=acme/site";
  const watching = (names: string) => ({ REEVE_GATE_HOSTS: hosts, REEVE_GATE_DETECT_ONLY: names });
  for (const names of ["all", "none", "acme/shop", "Acme/Site, shop.test", "www.acme.com", "rule_2mXw4Tn9KfLbR7Gq"]) {
    readGate({}, watching(names));
  }
  refused(
    watching("acme/shopp"),
    /^REEVE_GATE_DETECT_ONLY \(--detect-only\): .*REEVE_GATE_HOSTS.* acme\/shopp is no project/,
  );
  refused(watching("all,acme.com"), /acme\.com is no host/);
  refused(watching("Yes"), /: expected all, none, or hosts.*, got yes; did you mean all\?/);
  refused(watching("shop.test,off"), /, got off; did you mean none\?/);
  readGate({}, { REEVE_GATE_DETECT_ONLY: "any.test", REEVE_GATE_HOSTS: "*=shop" });
  readGate({}, { REEVE_GATE_DETECT_ONLY: "/shop", REEVE_GATE_HOSTS: "*=shop" });
});

test("a header with the digest of the handshake has no other use", () => {
  assert.equal(readGate({}, { REEVE_GATE_JA4_HEADER: "X-JA4" }).ja4Header, "x-ja4");
  for (const name of [
    "cookie",
    "User-Agent",
    "authorization",
    "accept-language",
    "x-forwarded-for",
    "x-reeve-decision",
  ]) {
    refused({ REEVE_GATE_JA4_HEADER: name }, /^REEVE_GATE_JA4_HEADER: expected a header that has no other use/);
  }
});
