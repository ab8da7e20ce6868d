import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePostgresUrl } from "./postgres-hosts.ts";

test("one host stays as it is", () => {
  const url = "postgres://user:pass@db.example.com:6432/reeve?sslmode=require";
  assert.deepEqual(parsePostgresUrl(url), {
    url,
    hosts: [{ host: "db.example.com", port: 6432 }],
    mustBeWritable: false,
  });
});

test("several hosts are tried in order and must accept writes", () => {
  const target = parsePostgresUrl("postgresql://u@a,b:5433,[::1]:5434/reeve?target_session_attrs=read-write&x=1");
  assert.deepEqual(target, {
    url: "postgresql://u@a/reeve?x=1",
    hosts: [
      { host: "a", port: 5432 },
      { host: "b", port: 5433 },
      { host: "::1", port: 5434 },
    ],
    mustBeWritable: true,
  });
});

test("a host-less URL leaves the host to the driver (a socket)", () => {
  assert.deepEqual(parsePostgresUrl("postgres:///reeve?host=/var/run/postgresql").hosts, []);
});
