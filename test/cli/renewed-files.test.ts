// The files that SIGHUP reads again while a server runs: of its mail server, and of its OpenID Connect providers. A file that cannot be
// used changes nothing, and the log says what `reeve doctor` says.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { freePort } from "../harness/free-port.ts";
import { createStorage } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { startMailServer } from "../mail/mail-server.ts";
import { firstMailTo } from "../mail/mail-world.ts";
import { startIssuers } from "../sign-in/provider-world.ts";
import { runReeve, serveReeve, stopReeve } from "./reeve-process.ts";
import type { RunningServer } from "./reeve-process.ts";

const bootstrapToken = "an_administrators_token_of_this_test_file";
const folder = mkdtempSync(join(tmpdir(), "reeve-renewed-"));
const smtpFile = join(folder, "smtp");
const mailServer = await startMailServer();
const port = await freePort();
const { flags: providerFlags } = await startIssuers({ first: {} }, `http://127.0.0.1:${port}`);
const { oidcFile } = providerFlags;
const storage = await createStorage();
const flags = { ...storage.flags, ...providerFlags, bootstrapToken, logLevel: "info" };
const environment = { REEVE_SMTP_URL_FILE: smtpFile };

let server: RunningServer;
before(async () => {
  writeFileSync(smtpFile, `${mailServer.url}\n`);
  server = await serveReeve(flags, environment, [], ["--port", String(port)]);
  assert.equal((await call("POST", "/v1/teams", { slug: "inviting" })).status, 200);
});
after(async () => {
  await stopReeve(server);
  await storage.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function call(method: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${bootstrapToken}`, "content-type": "application/json" };
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  return await fetch(`${server.url}${path}`, { method, headers, ...init });
}

async function invite(name: string): Promise<string> {
  const email = `${name}@guests.example`;
  assert.equal((await call("POST", "/v1/teams/inviting/members", { email })).status, 200);
  return email;
}

/** Sends SIGHUP, and returns the line of the log about this file. */
async function hangUp(what: string): Promise<Record<string, unknown>> {
  const from = server.logged().length;
  server.child.kill("SIGHUP");
  return await waitFor("the log to tell", () => {
    const lines = server.logged().slice(from).split("\n").slice(0, -1);
    const line = lines.find((one) => one.includes(`SIGHUP: ${what}`));
    return line === undefined ? undefined : (JSON.parse(line) as Record<string, unknown>);
  });
}

const MAIL = "the mail server's URL";
const PROVIDERS = "the file of the OpenID Connect providers";
const ADVICE = "mend the file: no process starts with it";

test("mail goes to the server that the file names, and to the one before while the file cannot be used", async () => {
  await firstMailTo(await invite("one"), mailServer);
  const other = await startMailServer();
  writeFileSync(smtpFile, other.url);
  assert.equal((await hangUp(MAIL))["msg"], `SIGHUP: ${MAIL} has changed`);
  await mailServer.stop();
  await firstMailTo(await invite("two"), other);
  // A URL that reaches nothing, until it is mended.
  writeFileSync(smtpFile, mailServer.url);
  await hangUp(MAIL);
  const waiting = await invite("waiting");
  const failed = await waitFor("a failed attempt", () =>
    server
      .logged()
      .split("\n")
      .find((line) => line.includes("mail could not be sent yet")),
  );
  writeFileSync(smtpFile, other.url);
  await hangUp(MAIL);
  await firstMailTo(waiting, other);
  assert.ok(Date.now() < Date.parse((JSON.parse(failed) as { nextAttemptAt: string }).nextAttemptAt));
  assert.equal((await hangUp(MAIL))["msg"], `SIGHUP: ${MAIL} is as it was`);
  for (const spoil of [() => writeFileSync(smtpFile, "https://mail.example"), () => rmSync(smtpFile)]) {
    spoil();
    const { level, msg, advice, err } = await hangUp(MAIL);
    assert.deepEqual([level, msg, advice], ["error", `SIGHUP: ${MAIL} cannot be used, and stays as it was`, ADVICE]);
    assert.match((err as Error).message, /^REEVE_SMTP_URL_FILE: expected /);
    await firstMailTo(await invite(`kept-${other.received.length}`), other);
  }
  writeFileSync(smtpFile, other.url);
});

test("people sign in with the providers that the file names, and with those before while it cannot be used", async () => {
  const signInPage = async () => await (await fetch(`${server.url}/console/sign-in`)).text();
  assert.match(await signInPage(), /Continue with First/);
  const text = readFileSync(oidcFile, "utf8");
  writeFileSync(oidcFile, text.replace("name: First", "name: Renamed"));
  assert.equal((await hangUp(PROVIDERS))["msg"], `SIGHUP: ${PROVIDERS} has changed`);
  assert.match(await signInPage(), /Continue with Renamed/);
  writeFileSync(oidcFile, text.replace("issuer:", "isuer:"));
  const { level, msg, advice, err } = await hangUp(PROVIDERS);
  assert.deepEqual([level, msg, advice], ["error", `SIGHUP: ${PROVIDERS} cannot be used, and stays as it was`, ADVICE]);
  assert.match(await signInPage(), /Continue with Renamed/);
  const { stdout } = await runReeve(["doctor", "--json"], flags, environment);
  const { findings } = JSON.parse(stdout) as { findings: { check: string; detail: string; advice?: string }[] };
  const found = findings.find(({ check }) => check === "providers");
  assert.deepEqual([found?.detail, found?.advice], [(err as Error).message, ADVICE]);
  writeFileSync(oidcFile, text);
  assert.equal((await hangUp(PROVIDERS))["msg"], `SIGHUP: ${PROVIDERS} has changed`);
  assert.match(await signInPage(), /Continue with First/);
});
