import assert from "node:assert/strict";
import { test } from "node:test";
import { SETTINGS, readSettings } from "./config.ts";
import type { Flags } from "./config.ts";

function refusal(flags: Flags, environment: Record<string, string> = {}): string {
  try {
    readSettings(flags, environment);
  } catch (error) {
    assert.equal((error as Error).name, "ConfigError");
    return (error as Error).message;
  }
  throw new Error("the settings were accepted");
}

test("defaults serve the embedded store on loopback", () => {
  const settings = readSettings({}, {});
  assert.equal(settings.host, "127.0.0.1");
  assert.equal(settings.port, 4000);
  assert.match(settings.dataDir, /\/reeve-data$/);
  assert.equal(settings.databaseUrl, null);
});

test("a flag wins over the environment, and an empty variable is absent", () => {
  assert.equal(readSettings({ port: "4001" }, { REEVE_PORT: "4002" }).port, 4001);
  assert.equal(readSettings({}, { REEVE_PORT: "4002" }).port, 4002);
  assert.equal(readSettings({}, { REEVE_PORT: "" }).port, 4000);
});

test("every flag is its setting's name with dashes", () => {
  for (const [name, { flag }] of Object.entries(SETTINGS)) {
    assert.equal(
      flag?.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
      name === "masterKey" ? undefined : name,
    );
  }
});

test("an unknown name is refused, with the name that was meant when one is near", () => {
  assert.equal(refusal({}, { REEVE_PROT: "1" }), "REEVE_PROT: there is no such setting; did you mean REEVE_PORT?");
  assert.match(refusal({}, { REEVE_DATADIR: "x" }), /did you mean REEVE_DATA_DIR\?$/);
  assert.match(refusal({}, { REEVE_SOMETHING_ELSE: "x" }), /the settings are REEVE_HOST, REEVE_PORT, /);
});

test("a bad value is refused with what was expected", () => {
  assert.equal(refusal({}, { REEVE_PORT: "65536" }), 'REEVE_PORT: expected an integer from 0 to 65535, got "65536"');
  assert.match(refusal({ logLevel: "loud" }), /^--log-level: expected one of trace, .*, got "loud"$/);
});

test("no message repeats a value that may hold a credential", () => {
  for (const name of ["bootstrapToken", "databaseUrl", "smtpUrl"] as const) {
    assert.doesNotMatch(refusal({ [name]: "hunter2 hunter2" }), /hunter2/);
  }
});
