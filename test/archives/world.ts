// Moving secrets in process, as the commands do, between teams of one instance or of two.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { SecretsExport, SecretsImport, SecretsImported } from "../../src/serve/backup/secret-archive.ts";
import { exportSecrets } from "../../src/serve/backup/secret-archive-export.ts";
import { importSecrets } from "../../src/serve/backup/secret-archive-import.ts";
import { uniqueName } from "../harness/test-app.ts";
import type { Body, TestApp } from "../harness/test-app.ts";
import { identity, openArchive, recipient, withoutId } from "./files.ts";

/** A folder for the archives of this test file, removed with its contents. */
export const folder = mkdtempSync(join(tmpdir(), "reeve-archive-"));
after(() => rmSync(folder, { recursive: true, force: true }));

export const newFile = () => join(folder, uniqueName("archive"));

/** Exports a team's secrets for the one identity, unless `more` says otherwise; returns the file. */
export async function exportTeam(api: TestApp, team: string, more: Partial<SecretsExport> = {}): Promise<string> {
  const request = { owner: { team }, file: newFile(), force: false, lock: { recipients: [recipient] }, ...more };
  await exportSecrets(
    api.settings,
    request,
    () => undefined,
    () => api.clock.now,
  );
  return request.file;
}

export async function importTeam(
  api: TestApp,
  team: string,
  file: string,
  more: Partial<SecretsImport> = {},
): Promise<SecretsImported> {
  const request = { owner: { team }, file, key: { identities: [identity] }, onConflict: "fail" as const, ...more };
  return await importSecrets(
    api.settings,
    request,
    () => undefined,
    () => api.clock.now,
  );
}

/** The secrets of an archive, without their ids. */
export async function secretsOf(file: string): Promise<Body[]> {
  return (await openArchive(file)).slice(1, -1).map(withoutId);
}

/** Sends a request as the administrator, a moment after the one before, and expects it to succeed. */
export async function call(api: TestApp, method: string, url: string, body?: unknown): Promise<Body> {
  api.clock.advance(1);
  const response = await api.request(method, url, body === undefined ? {} : { body });
  assert.equal(response.status, 200, `${method} ${url}: ${response.text}`);
  return response.body;
}

export async function emptyTeam(api: TestApp): Promise<string> {
  return (await api.createTeam(api.admin)).id;
}

export async function listed(api: TestApp, team: string): Promise<Body[]> {
  return (await api.request("GET", `/v2/secrets?teamId=${team}&limit=100`)).body.secrets;
}
