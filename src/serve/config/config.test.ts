import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readSettings } from "./config.ts";
import type { Flags } from "./config.ts";
import { readRemoteSettings } from "./remote-settings.ts";
import { SETTINGS } from "./settings.ts";

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

test("an unknown name is refused, with a similar known name", () => {
  assert.equal(refusal({}, { REEVE_PROT: "1" }), "REEVE_PROT: there is no such setting; did you mean REEVE_PORT?");
  assert.match(refusal({}, { REEVE_DATADIR: "x" }), /did you mean REEVE_DATA_DIR\?$/);
  assert.match(refusal({}, { REEVE_SOMETHING_ELSE: "x" }), /the settings are REEVE_HOST, REEVE_PORT, /);
});

test("a bad value is refused with what was expected", () => {
  assert.equal(refusal({}, { REEVE_PORT: "65536" }), 'REEVE_PORT: expected an integer from 0 to 65535, got "65536"');
  assert.match(refusal({ logLevel: "loud" }), /^--log-level: expected one of trace, .*, got "loud"$/);
});

test("a path is no empty text, which would be the current folder", () => {
  const paths = ["dataDir", "masterKeyFile", "oidcFile"] as const;
  for (const name of paths) {
    const { flag, env } = SETTINGS[name];
    for (const text of ["", " ", "\t"]) {
      assert.equal(refusal({ [name]: text }), `--${flag}: expected a path, got ${JSON.stringify(text)}`);
    }
    assert.equal(refusal({}, { [env]: " " }), `${env}: expected a path, got " "`);
  }
});

test("a list of name=value has one value for a name, and each name once", () => {
  const limits = (text: string) => refusal({}, { REEVE_STORAGE_LIMITS: text });
  for (const text of ["teams=5=9", "teams=5=", "teams", "teams=", "=5", "teams=5,", ",", "teams==5"]) {
    assert.match(limits(text), /^REEVE_STORAGE_LIMITS: expected .*, got "/, text);
  }
  assert.match(limits("teams=5,secrets=2,teams=9"), /: expected each name once, and teams is there twice, got "/);
  assert.equal(readSettings({}, { REEVE_STORAGE_LIMITS: "teams=5, secrets=2" }).storageLimits.teams, 5);
});

test("no message repeats a value that may hold a credential", () => {
  for (const name of ["bootstrapToken", "databaseUrl", "smtpUrl"] as const) {
    assert.doesNotMatch(refusal({ [name]: "hunter2 hunter2" }), /hunter2/);
  }
});

test("a credential can be read from a file, but not given twice", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "reeve-settings-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "value");
  const url = "postgres://reeve:hunter2@db.internal/reeve";
  writeFileSync(file, `${url}\n`);
  assert.equal(readSettings({}, { REEVE_DATABASE_URL_FILE: file }).databaseUrl, url);
  assert.equal(readSettings({}, { REEVE_DATABASE_URL: url, REEVE_DATABASE_URL_FILE: "" }).databaseUrl, url);
  assert.equal(
    readSettings({ databaseUrl: "postgres://b" }, { REEVE_DATABASE_URL_FILE: file }).databaseUrl,
    "postgres://b",
  );
  assert.equal(
    refusal({}, { REEVE_SMTP_URL: "smtp://mail.internal", REEVE_SMTP_URL_FILE: file }),
    "REEVE_SMTP_URL_FILE: expected to be alone, but REEVE_SMTP_URL is set too",
  );
  const wrong = refusal({}, { REEVE_BOOTSTRAP_TOKEN_FILE: file });
  assert.match(wrong, /^REEVE_BOOTSTRAP_TOKEN_FILE: expected 32 to 256 letters.*, got a value of 42 characters$/);
  assert.match(
    refusal({}, { REEVE_DATABASE_URL_FILE: folder }),
    /^REEVE_DATABASE_URL_FILE: expected a file that can be/,
  );
  assert.match(
    refusal({}, { REEVE_DATABASE_URL_FILE: join(folder, "no") }),
    /can be read: there is no such file or folder$/,
  );
});

test("a file of a credential that others may read is accepted, as Docker and Kubernetes mount it", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "reeve-settings-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "value");
  const token = "rvt_0123456789abcdef0123456789abcdef";
  writeFileSync(file, `${token}\n`);
  chmodSync(file, 0o644);
  assert.equal(readRemoteSettings({}, { REEVE_TOKEN_FILE: file }).token, token);
  assert.equal(readSettings({}, { REEVE_BOOTSTRAP_TOKEN_FILE: file }).bootstrapToken, token);
});

test("the settings of egress are read as networks, ranges of ports and name servers", () => {
  const defaults = readSettings({}, {});
  assert.deepEqual(defaults.egressAllow, []);
  assert.deepEqual(defaults.egressPorts, [
    [80, 80],
    [443, 443],
    [8_000, 9_000],
  ]);
  assert.equal(defaults.dnsServers, null);
  const dnsServers = ["9.9.9.9", "9.9.9.9:5353", "2620:fe::fe", "[2620:fe::fe]", "[2620:fe::fe]:5353"];
  const settings = readSettings({
    egressAllow: "10.0.0.0/8, 127.0.0.1,FD00:0:0::/8,LocalHost, db.internal.,m\u00fcnchen.example",
    egressPorts: "+3000, 5000-5010,+6000",
    dnsServers: dnsServers.join(","),
  });
  assert.deepEqual(settings.egressAllow, [
    "10.0.0.0/8",
    "127.0.0.1/32",
    "fd00::/8",
    "localhost",
    "db.internal",
    "xn--mnchen-3ya.example",
  ]);
  assert.deepEqual(settings.egressPorts, [...defaults.egressPorts, [3_000, 3_000], [5_000, 5_010], [6_000, 6_000]]);
  assert.deepEqual(settings.dnsServers, dnsServers);
  for (const text of [
    "",
    "10.0.0.1/8",
    "10.0.0.0/33",
    "10.0.0/8",
    "::ffff:10.0.0.0/104",
    "10.1",
    "0x7f.1",
    "10.0.0.256",
    "*.example.com",
    "localhost:3000",
    "http://localhost",
    "localhost,none",
    "10.0.0.0/8,",
  ]) {
    assert.match(
      refusal({ egressAllow: text }),
      /^--egress-allow: expected none, or IP addresses, CIDRs .* and host names/,
      text,
    );
  }
  for (const text of ["", "0", "80,", "65536", "9000-8000", "80-", "http", "+", "+80,", "80,+81", "++80"]) {
    assert.match(refusal({ egressPorts: text }), /^--egress-ports: expected ports and ranges of ports/);
  }
  for (const text of [
    "",
    "dns.example.com",
    "9.9.9.9:0",
    "9.9.9.9:65536",
    "[9.9.9.9]:53",
    "2620:fe::fe:",
    "9.9.9.9,",
  ]) {
    assert.match(refusal({ dnsServers: text }), /^--dns-servers: expected IP addresses/, text);
  }
});

test("who may sign up is read as a rule, and needs mail where addresses are confirmed", () => {
  const beside = { smtpUrl: "smtp://mail.internal", publicUrl: "https://reeve.example" };
  assert.deepEqual(readSettings().signUp, { kind: "invitation" });
  assert.deepEqual(readSettings({ signUp: "open", ...beside }).signUp, { kind: "open" });
  const domains = readSettings({ signUp: "domains:Acme.com, m\u00fcnchen.example", ...beside }).signUp;
  assert.deepEqual(domains, { kind: "domains", domains: ["acme.com", "xn--mnchen-3ya.example"] });
  for (const text of ["", "anybody", "domains", "domains:"]) {
    assert.match(refusal({ signUp: text, ...beside }), /^--sign-up: expected invitation, open, or domains:/, text);
  }
  for (const text of ["domains:acme", "domains:acme.com,", "domains:*.acme.com", "domains:ada@acme.com"]) {
    assert.match(refusal({ signUp: text, ...beside }), /^--sign-up: expected domains such as acme\.com, got/, text);
  }
  assert.equal(
    refusal({}, { REEVE_SIGN_UP: "open" }),
    "REEVE_SIGN_UP: expected REEVE_SMTP_URL and REEVE_PUBLIC_URL beside it, because who signs up confirms the e-mail address with a link",
  );
  assert.match(
    refusal({ signUp: "domains:acme.com", publicUrl: "https://reeve.example" }),
    /expected REEVE_SMTP_URL b/,
  );
});

test("passwords can be switched off, and providers need the public URL", () => {
  assert.deepEqual([readSettings().passwords, readSettings({ passwords: "off" }).passwords], [true, false]);
  assert.equal(refusal({ passwords: "no" }), '--passwords: expected on or off, got "no"');
  assert.match(refusal({ oidcFile: "oidc.yaml" }), /^REEVE_OIDC_FILE: expected REEVE_PUBLIC_URL beside it, because/);
  const { oidcFile } = readSettings({ oidcFile: "oidc.yaml", publicUrl: "https://reeve.example" });
  assert.match(oidcFile ?? "", /^\/.*\/oidc\.yaml$/);
});
