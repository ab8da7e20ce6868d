// Servers and commands with master keys of a test's own.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { Flags } from "../../src/serve/config/config.ts";
import { parseGivenKeys } from "../../src/platform/keyring/keyring.ts";
import { createStorage } from "../harness/test-app.ts";
import type { Body } from "../harness/test-app.ts";
import { runReeve } from "./in-process.ts";
import type { Ended, Server } from "./in-process.ts";

const adminToken = "an_administrators_token_of_this_test_file";
export const newText = () => randomBytes(32).toString("base64");
export const idOf = (text: string) => parseGivenKeys(text, "the test")[0]?.id as string;

/** Settings of an empty database, and the path of the key file in its data directory. */
export async function createSettings(): Promise<{ readonly settings: Flags; readonly keyFile: string }> {
  const storage = await createStorage();
  after(() => storage.remove());
  const settings = { bootstrapToken: adminToken, ...storage.flags };
  return { settings, keyFile: join(settings.dataDir as string, "master.key") };
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "reeve-keys-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function call(server: Pick<Server, "url">, method: string, path: string, body?: unknown) {
  return await callPath(server, method, `/v2/secrets${path}`, body);
}

async function callPath(server: Pick<Server, "url">, method: string, path: string, body?: unknown) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${adminToken}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

export async function addSecret(server: Pick<Server, "url">, name: string): Promise<void> {
  const created = await call(server, "POST", "", { name, value: `value of ${name}`, decryptable: true });
  assert.equal(created.status, 200, JSON.stringify(created.body));
}

/** Creates a webhook and returns its id; no receiver listens. The server has to allow loopback. */
export async function addWebhook(server: Pick<Server, "url">): Promise<string> {
  const body = { url: "http://127.0.0.1:8999/", events: ["team"], active: false };
  return (await callPath(server, "POST", "/v1/webhooks", body)).body.id;
}

/** The error of a test of the webhook. */
export async function testWebhook(server: Pick<Server, "url">, id: string): Promise<string> {
  return (await callPath(server, "POST", `/v1/webhooks/${id}/test`)).body.error.stage;
}

export async function reveal(server: Pick<Server, "url">, name: string): Promise<string> {
  return (await call(server, "GET", `/${name}?decrypt=true`)).body.value;
}

export async function status(settings: Flags): Promise<Body[]> {
  const { code, stdout, stderr } = await runReeve(["keys", "status", "--json"], settings);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout).keys;
}

export function assertRefusal({ code, stdout, stderr }: Ended, expected: number, message: RegExp): void {
  assert.equal(code, expected, stderr);
  assert.match(stderr, message);
  assert.match(stderr, /^reeve: [^\n]+\n$/);
  assert.equal(stdout, "");
}
