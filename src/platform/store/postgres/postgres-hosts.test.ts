import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { hostOf, parsePostgresUrl } from "./hosts.ts";

test("one host stays as it is", () => {
  const url = "postgres://user:pass@db.example.com:6432/reeve?sslmode=verify-full";
  assert.deepEqual(parsePostgresUrl(url), { urls: [url], mustBeWritable: false });
});

test("several hosts are tried in order and must accept writes", () => {
  const target = parsePostgresUrl("postgresql://u@a,b:5433,[::1]:5434/reeve?target_session_attrs=read-write&x=1");
  assert.deepEqual(target, {
    urls: ["postgresql://u@a/reeve?x=1", "postgresql://u@b:5433/reeve?x=1", "postgresql://u@[::1]:5434/reeve?x=1"],
    mustBeWritable: true,
  });
});

test("of one host a primary is asked for by either word", () => {
  const ask = (attribute: string) => parsePostgresUrl(`postgres://u@a/reeve?target_session_attrs=${attribute}`);
  assert.deepEqual(ask("primary"), { urls: ["postgres://u@a/reeve"], mustBeWritable: true });
  assert.ok(ask("read-write").mustBeWritable);
  assert.ok(!ask("any").mustBeWritable);
});

test("the folder of a socket is the host of the query", () => {
  const [url = ""] = parsePostgresUrl("postgres:///reeve?host=/var/run/postgresql").urls;
  assert.equal(new pg.Client({ connectionString: url }).host, "/var/run/postgresql");
});

test("a value of the query may be written in codes, and a + is no space, as for libpq", () => {
  const read = (query: string) => parsePostgresUrl(`postgres://u@a/r?${query}`);
  assert.ok(read("target_session_attrs=read%2Dwrite").mustBeWritable);
  assert.deepEqual(read("sslmode=verify%2Dca").urls, ["postgres://u@a/r?sslmode=verify-full"]);
  assert.deepEqual(read("uselibpqcompat=tru%65&sslmode=requir%65").urls, [
    "postgres://u@a/r?uselibpqcompat=true&sslmode=require",
  ]);
  const { user, password } = new pg.Client({ connectionString: read("user=x+y&password=1+2%263%3D").urls[0] });
  assert.deepEqual({ user, password }, { user: "x+y", password: "1+2&3=" });
});

test("a mode that the driver takes as verify-full is written so, unless libpq's meaning is asked for", () => {
  const modeOf = (query: string) =>
    /sslmode=([\w-]*)/.exec(parsePostgresUrl(`postgres://u@a/r?${query}`).urls[0] ?? "")?.[1];
  for (const mode of ["allow", "prefer", "require", "verify-ca", "verify-full"]) {
    assert.equal(modeOf(`lock_timeout=5&sslmode=${mode}&ssl=true`), "verify-full");
    assert.equal(modeOf(`uselibpqcompat=true&sslmode=${mode}`), mode);
  }
  for (const mode of ["disable", "no-verify"]) assert.equal(modeOf(`sslmode=${mode}`), mode);
});

test("messages name the host that the driver uses: one in the query comes before the other", () => {
  const names = {
    "postgres://u:p@db.example.com:6432/reeve": "db.example.com:6432",
    "postgres://u@[::1]:5434/reeve": "[::1]:5434",
    "postgres://u@localhost/reeve?host=other.example.com": "other.example.com",
    "postgres://u@localhost:5433/reeve?x=1&host=%2Frun%2Fpostgresql": "/run/postgresql:5433",
    "postgres://u@a:5433/reeve?port=6432": "a:6432",
    "postgres:///reeve?host=/var/run/postgresql": "/var/run/postgresql",
    "postgres://%2Frun%2Fpostgresql:5433/reeve": "/run/postgresql:5433",
    // The default of the driver, which takes no socket by itself.
    "postgres:///reeve": "localhost",
  };
  for (const [url, name] of Object.entries(names)) assert.equal(hostOf(url), name, url);
});
