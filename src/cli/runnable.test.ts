// A command that a process prints is about the same data and the same server as the process.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { readGiven } from "../serve/config/config.ts";
import { findGiven, makeRunnable } from "./runnable.ts";

/** What a process with this command line and this environment prints for a command. */
const printed = (line: readonly string[], text: string, environment: NodeJS.ProcessEnv = {}): string =>
  makeRunnable(`\`reeve ${text}\``, { command: "npx reeve", ...findGiven(line, readGiven(environment)) }).slice(1, -1);

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

test("a printed command has the team, the project and the environment of its line, however they were given", () => {
  const flags = "--team acme --project shop --env staging";
  const variables = { REEVE_TEAM: "acme", REEVE_PROJECT: "shop", REEVE_ENV: "staging" };
  for (const line of [
    ["run", "-t", "acme", "-pshop", "--env=staging"],
    ["run", "--team", "acme", "--project", "shop", "-e", "staging"],
  ]) {
    for (const environment of [{}, { ...variables, REEVE_TEAM: "other" }]) {
      assert.equal(printed(line, "env pull", environment), `npx reeve env pull ${flags}`);
    }
  }
  assert.equal(printed(["run"], "env pull", variables), `npx reeve env pull ${flags}`);
  assert.equal(
    printed(["run"], "firewall rules list", variables),
    "npx reeve firewall rules list --team acme --project shop",
  );
  assert.equal(printed(["run"], "env pull -t own", { REEVE_TEAM: "acme" }), "npx reeve env pull -t own");
  assert.equal(printed(["run"], "run -- npm start", variables), `npx reeve run ${flags} -- npm start`);
  assert.equal(printed(["run"], "teams list", variables), "npx reeve teams list");
});

test("what the environment gives leads a printed command to the same data and server, and a flag of the line wins", () => {
  const environment = {
    REEVE_DATA_DIR: "it's here",
    REEVE_PORT: "4001",
    REEVE_MASTER_KEY_FILE: "/k",
    REEVE_LOG_LEVEL: "warn",
    REEVE_SERVER: "https://reeve.example",
    REEVE_HOST: "",
  };
  const data = "--data-dir 'it'\\''s here' --master-key-file /k";
  assert.equal(printed(["serve"], "user list", environment), `npx reeve user list ${data}`);
  assert.equal(
    printed(["serve", "--port", "5000"], "user sign-in-link ada", environment),
    `npx reeve user sign-in-link ada ${data} --port 5000`,
  );
  assert.equal(printed(["serve"], "teams list", environment), "npx reeve teams list --server https://reeve.example");
});

test("no secret of the environment is printed: the shell that has it gives it, and another one says what it lacks", () => {
  const secrets = {
    REEVE_DATABASE_URL: "postgres://reeve:hunter2@db/reeve",
    REEVE_MASTER_KEY: "aHVudGVyMg==",
    REEVE_TOKEN: "token_hunter2_hunter2",
  };
  const line = printed(["serve"], "doctor", secrets);
  assert.equal(
    line,
    "REEVE_DATABASE_URL=${REEVE_DATABASE_URL:?} REEVE_MASTER_KEY=${REEVE_MASTER_KEY:?} npx reeve doctor",
  );
  assert.equal(printed([], "teams list", secrets), "npx reeve teams list");
  // A shell runs it, with a program that prints what it was given in place of Reeve.
  const program = `${process.execPath} -p 'process.env.REEVE_DATABASE_URL' --`;
  const run = (env: NodeJS.ProcessEnv) =>
    spawnSync("/bin/sh", ["-c", line.replace("npx reeve", program)], { env, encoding: "utf8" });
  assert.equal(run(secrets).stdout, `${secrets.REEVE_DATABASE_URL}\n`);
  const { stdout, stderr } = run({ REEVE_MASTER_KEY: secrets.REEVE_MASTER_KEY });
  assert.equal(stdout, "");
  assert.match(stderr, /REEVE_DATABASE_URL/);
});

test("a file of a secret, and a database's URL without one, are no secrets", () => {
  const file = { REEVE_DATABASE_URL_FILE: "/run/secrets/database url" };
  assert.equal(
    printed(["serve"], "doctor", file),
    "REEVE_DATABASE_URL_FILE='/run/secrets/database url' npx reeve doctor",
  );
  const flag = "--database-url postgres://other@db/reeve";
  assert.equal(printed(["serve", ...flag.split(" ")], "doctor", file), `npx reeve doctor ${flag}`);
  assert.equal(
    printed(["serve"], "doctor", { REEVE_DATABASE_URL: "postgres://other@db/reeve" }),
    `npx reeve doctor ${flag}`,
  );
});
