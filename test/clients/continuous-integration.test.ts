// The action for GitHub and the template for GitLab in deploy/: their scripts in real shells, against a started server, with an API key
// and with signed tokens of an issuer. The runner's files and commands are what the platforms document.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { AUDIENCE, SUBJECT, openWorkload } from "../resources/workload.ts";
import { gitlabScript, readMasks, readVariables, runAction, runShell } from "./ci-scripts.ts";
import type { Variables } from "./ci-scripts.ts";
import { startJobTokens } from "./job-tokens.ts";
import { startListeningApp } from "./started-app.ts";

const started = await startListeningApp({ egressAllow: "127.0.0.1" });
const { url, admin, createTeam, request, app } = started;
after(async () => await app.close());
await createTeam(admin, "acme");
const { github: issuer, claimsNow, trustRuleBody } = await openWorkload(started);

const KEY_FILE = "-----BEGIN-----\nfirst line of a key\nsecond'line\"of$a`key\n-----END-----";
/** Names that the scripts could use themselves, and values that a shell, a log or a line could take for something else. */
const VALUES = {
  LEVEL: "info",
  MULTI: KEY_FILE,
  PERCENT: "100%\r\nsure",
  PASSWORD: "swordfish",
  SHORT: "a\nlonger line",
  EMPTY: "",
  SPACES: "  \t ",
  DASHES: "--output=/etc/passwd",
  COMMAND: "$(touch /tmp/no) `id` ${HOME} $HOME \\n \\\\ !! ~ * ; & | < > (a) {b,c} #",
  QUOTES: `'"'"'`,
  RETURNS: "first part\rsecond part\r",
  ENDING: "ends with lines\n\n\n",
  FORGED: "x\nEOF\nPATH<<EOF\n/tmp\nEOF\n::stop-commands::x\n::add-mask::y\nPATH=/tmp",
  EMOJI: "pässwörd 🗝️ \u2028 \u0081\u0088",
  LONG: "%".repeat(65_536),
  work: "/",
  status: "200",
  team: "slug=other",
  token: "another-token",
  body: "a-body",
  server: "http://127.0.0.1:9",
  IFS: ":",
};
const { LEVEL, ...secrets } = VALUES;
const set = Object.fromEntries(Object.entries(secrets).map(([key, secretValue]) => [key, { secretValue }]));

async function change(environment: string, entries: object): Promise<void> {
  const body = { environments: { [environment]: { set: entries } } };
  const changed = await request("PATCH", "/v1/environments/shop?slug=acme", { body });
  assert.equal(changed.status, 200, changed.text);
}
await change("production", { ...set, LEVEL: { value: LEVEL } });

const permissions = ["environment:read", "secret:reveal"];
const made = await request("POST", "/v1/api-keys?slug=acme", { body: { name: "ci", role: "DEVELOPER", permissions } });
assert.equal(made.status, 200, made.text);
const KEY: string = made.body.value;
const trusted = await request("POST", "/v1/identity/trusts?slug=acme", { body: trustRuleBody({ permissions }) });
assert.equal(trusted.status, 200, trusted.text);

const JOB = await startJobTokens((aud) => issuer.sign(claimsNow({ aud })));

/** Answers everything with a page, as a proxy that wants people to sign in. */
const elsewhere = createServer((_asked, response) => response.end("<p>touch '/tmp/no'</p>"));
await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
after(() => elsewhere.close());
const elsewhereUrl = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;

const PLACE = { server: `${url}/`, team: "acme", project: "shop", environment: "production" };
const CREDENTIAL = /rv[kt]_\w+|eyJ[\w-]+\.|swordfish|second part/;

test("the action exports every value exactly, and masks what is secret, line by line", async () => {
  const byKey = await runAction({ ...PLACE, token: KEY });
  const bySignedToken = await runAction({ ...PLACE, audience: AUDIENCE }, JOB);
  for (const { code, stdout, stderr, variables, outputs, visible, left } of [byKey, bySignedToken]) {
    assert.deepEqual([code, stderr, left], [0, "", []], stdout);
    assert.deepEqual(readVariables(variables), VALUES);
    const masks = readMasks(stdout);
    const [, token = ""] = /^token=(rvk_\w+)\n$/.exec(outputs) ?? [];
    assert.ok(masks.includes(token));
    for (const value of Object.values(secrets)) {
      const lines = value.split(/[\r\n]+/).filter((line) => line.length > 3);
      for (const one of [value, ...lines]) assert.ok(masks.includes(one) || one.trim() === "", one);
    }
    assert.ok(!masks.includes(LEVEL) && !masks.includes("a") && !masks.includes(""));
    assert.doesNotMatch(visible, CREDENTIAL);
    assert.match(visible, /^--data-urlencode$/m);
  }
  assert.equal(byKey.outputs, `token=${KEY}\n`);
  assert.ok(readMasks(bySignedToken.stdout)[0]?.startsWith("eyJ"), "the signed token is masked");
});

test("a shell that prints what it runs prints no value and no key", async () => {
  const { code, stdout, stderr } = await runAction({ ...PLACE, token: KEY }, { SHELLOPTS: "xtrace" });
  assert.equal(code, 0, stderr);
  assert.ok(!stderr.includes("swordfish") && !stderr.includes(KEY), stderr);
  assert.ok(stdout.includes("::add-mask::swordfish"));
});

test("the action exports chosen names, or the credential alone", async () => {
  const some = await runAction({ ...PLACE, token: KEY, names: "LEVEL,PASSWORD" });
  assert.deepEqual(readVariables(some.variables), { LEVEL, PASSWORD: "swordfish" });
  const none = await runAction({ ...PLACE, token: KEY, export: "false" });
  assert.deepEqual([none.code, none.variables, none.outputs], [0, "", `token=${KEY}\n`]);
});

test("the action fails with what is wrong, and exports nothing", async () => {
  const refuse = async (given: Variables, message: RegExp, more?: Variables) => {
    const { code, stdout, variables, left } = await runAction(given, more);
    assert.deepEqual([code, variables, left], [1, "", []]);
    assert.match(stdout, message);
  };
  await refuse({ ...PLACE, project: "" }, /^::error title=Reeve::project: expected a value$/m);
  await refuse(PLACE, /the job has no signed token: expected `permissions: \{ id-token: write \}`/);
  await refuse(
    { ...PLACE, token: KEY, environment: "nowhere" },
    /the environment: refused with 404: Environment not found/,
  );
  await refuse({ ...PLACE, token: KEY, project: "shpo" }, /the environment: refused with 404: Project not found/);
  const empty = { ...PLACE, token: KEY, environment: "development" };
  await refuse(empty, /the values: development of shop has none for this credential; allow_empty: true permits that$/m);
  const allowed = await runAction({ ...empty, allow_empty: "true" });
  assert.deepEqual([allowed.code, allowed.variables], [0, ""]);
  await refuse({ ...PLACE, token: "x".repeat(40) }, /the environment: refused with 401/);
  await refuse({ ...PLACE, token: KEY, names: "NOPE" }, /the values: refused with 409: .*NOPE/);
  await refuse(
    { ...PLACE, token: `${KEY}\n` },
    /^::error title=Reeve::token: expected an API key of Reeve, without spaces/,
  );
  await refuse({ ...PLACE, audience: "https://other.example" }, /the exchange: refused with 400: .*no trust rule/, JOB);
  const page = { ...PLACE, server: elsewhereUrl, token: KEY };
  await refuse(
    page,
    /^::error title=Reeve::the environment: expected JSON, got something else: is http:[^ ]+ a Reeve\?$/m,
  );
});

const shells = ["sh", "bash", "dash", "ash"].filter(
  (shell) => execFileSync("sh", ["-c", `command -v ${shell} || :`]).length > 0,
);

async function runJob(
  shell: string,
  inputs: Variables,
  more: Variables,
  own: string,
  flags: readonly string[] = ["-e"],
) {
  const { variables, script } = gitlabScript({ ...PLACE, ...inputs });
  return await runShell(shell, [...flags, "-c", `${script}\n${own}`], { ...variables, ...more });
}

test("the template gives a job's script every value exactly, in each shell, and prints nothing", async () => {
  const own = `"${process.execPath}" -p 'JSON.stringify(process.env)'`;
  const signed = await issuer.sign(claimsNow());
  for (const shell of shells) {
    for (const credential of [{ VALUES_TOKEN: KEY }, { VALUES_ID_TOKEN: signed }]) {
      const { code, stdout, stderr, visible, left } = await runJob(shell, {}, credential, own, ["-e", "-u"]);
      assert.deepEqual([code, stderr, left], [0, "", []], shell);
      const got = JSON.parse(stdout);
      assert.deepEqual(Object.fromEntries(Object.keys(VALUES).map((name) => [name, got[name]])), VALUES);
      assert.deepEqual([got.VALUES_TOKEN, got.VALUES_ID_TOKEN], [undefined, undefined]);
      assert.doesNotMatch(visible, CREDENTIAL);
    }
  }
});

test("the template leaves nothing of its own in the job's shell, and prints no value where the shell prints what it runs", async () => {
  const own =
    'set +x; values_of_reeve; export_values_of_reeve; echo "$PASSWORD $what $got $type"; case $- in *[xa]*) echo flags ;; esac';
  for (const shell of shells) {
    const { stdout, stderr } = await runJob(shell, { names: "PASSWORD" }, { VALUES_TOKEN: KEY }, own, ["-x"]);
    assert.match(stdout, /^swordfish +\n$/);
    assert.ok(!stderr.includes("swordfish") && !stderr.includes(KEY), stderr);
    assert.match(stderr, /values_of_reeve:.* not found/);
  }
});

test("the template ends the job when it is refused, or when a name is not for the shell to set", async () => {
  const refuse = async (shell: string, inputs: Variables, more: Variables, message: RegExp) => {
    for (const flags of [["-e"], []]) {
      const { code, stdout, stderr, left } = await runJob(shell, inputs, more, "echo went on", flags);
      assert.deepEqual([code, stdout, left], [1, "", []], stderr);
      assert.match(stderr, message);
    }
  };
  await change("preview", { UID: { value: "1" }, OTHER: { value: "2" } });
  for (const shell of shells) {
    const key = { VALUES_TOKEN: KEY };
    await refuse(
      shell,
      { environment: "nowhere" },
      key,
      /^reeve: the values: refused with 404: .*Environment not found/,
    );
    await refuse(shell, {}, { VALUES_ID_TOKEN: "no.signed.token" }, /^reeve: the exchange: refused with 400: /);
    const other = await issuer.sign(claimsNow({ sub: `${SUBJECT}-other` }));
    await refuse(shell, {}, { VALUES_ID_TOKEN: other }, /^reeve: the exchange: refused with 400: .*no trust rule/);
    await refuse(shell, {}, { VALUES_TOKEN: `${KEY}" x` }, /^reeve: VALUES_TOKEN: expected an API key of Reeve$/m);
    await refuse(shell, { project: "../x" }, key, /^reeve: project, environment: expected letters, digits/);
    await refuse(shell, { project: "shpo" }, key, /^reeve: the values: refused with 404: .*Project not found/);
    const empty = { environment: "development" };
    await refuse(
      shell,
      empty,
      key,
      /^reeve: the values: development of shop has none for this credential; allow_empty: true permits that$/m,
    );
    const allowed = await runJob(shell, { ...empty, allow_empty: "true" }, key, "echo went on");
    assert.deepEqual([allowed.code, allowed.stdout], [0, "went on\n"]);
    for (const name of ["team", "project", "environment", "server"]) {
      const each = /^reeve: server, team, project, environment: expected a value of each$/m;
      await refuse(shell, { [name]: "" }, key, each);
    }
    await refuse(shell, { names: "NOPE" }, key, /^reeve: the values: refused with 409: .*NOPE/);
    await refuse(
      shell,
      { server: "http://127.0.0.1:1" },
      key,
      /^reeve: the values: no response of http:\/\/127.0.0.1:1$/m,
    );
  }
  await refuse(
    "bash",
    { environment: "preview" },
    { VALUES_TOKEN: KEY },
    /^reeve: the values: this shell can't set UID$/m,
  );
});
