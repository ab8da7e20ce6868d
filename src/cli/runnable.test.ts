// A command that a process prints is about the same data and the same server as the process.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findFlags, makeRunnable } from "./runnable.ts";

const printed = (line: readonly string[], text: string): string =>
  makeRunnable(`\`reeve ${text}\``, { command: "npx reeve", flags: findFlags(line) }).slice(1, -1);

test("the flags that lead to the data and the server are kept, each where it counts", () => {
  const line = ["serve", "--data-dir", "it's here", "--port=4001", "--host", "::1", "--log-level", "warn"];
  const data = "--data-dir 'it'\\''s here'";
  assert.equal(
    printed(line, "user sign-in-link admin"),
    `npx reeve user sign-in-link admin ${data} --host ::1 --port 4001`,
  );
  assert.equal(printed(line, "doctor"), `npx reeve doctor ${data}`);
  assert.equal(printed(line, "serve --port 5000"), `npx reeve serve --port 5000 ${data} --host ::1`);
  assert.equal(printed(line, "secrets list"), "npx reeve secrets list");
  const other = ["doctor", "--master-key-file", "k", "--public-url=https://a.example", "--data-dir=a", "--data-dir=b"];
  assert.equal(
    printed(other, "user sign-in-link ada"),
    "npx reeve user sign-in-link ada --data-dir b --master-key-file k --public-url https://a.example",
  );
});

test("the server and the context of this command line are those of a printed command that asks a server", () => {
  const line = ["firewall", "rules", "enable", "None", "--server=https://other.example", "--context", "work"];
  const flags = "--server https://other.example --context work";
  for (const words of ["firewall rules list", "secrets delete DB", "link --team acme", "login", "gate why ID"]) {
    assert.equal(printed(line, words), `npx reeve ${words} ${flags}`);
  }
  assert.equal(printed(line, "login --server <url>"), "npx reeve login --server <url> --context work");
  for (const words of [
    "keys rotate",
    "context list",
    "events verify",
    "secrets export",
    "firewall test FILE",
    "gate",
  ]) {
    assert.equal(printed(line, words), `npx reeve ${words}`);
  }
});

test("a password of the database's URL is left to the person", () => {
  for (const [given, shown] of [
    ["postgres://reeve@db/reeve", "postgres://reeve@db/reeve"],
    ["postgres://reeve:hun@ter2@db:5433/reeve", "postgres://reeve:PASSWORD@db:5433/reeve"],
    [
      "postgres://db/reeve?user=r&password=hunter2&sslmode=require",
      "'postgres://db/reeve?user=r&password=PASSWORD&sslmode=require'",
    ],
  ] as const) {
    assert.equal(printed(["serve", "--database-url", given], "migrate"), `npx reeve migrate --database-url ${shown}`);
  }
});
