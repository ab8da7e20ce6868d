// A Reeve with real providers on loopback.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { stringify } from "yaml";
import type { Flags } from "../../src/serve/config/config.ts";
import { startOwnApp } from "../harness/test-app.ts";
import type { TestApp } from "../harness/test-app.ts";
import { startIssuer } from "./oidc-issuer.ts";
import type { Issuer } from "./oidc-issuer.ts";

export const PUBLIC_URL = "http://localhost:4000";

/** Keys of a provider in the file, beside those that every test has. */
export type ProviderKeys = Readonly<Record<string, unknown>>;

export interface ProviderWorld extends TestApp {
  readonly issuers: ReadonlyMap<string, Issuer>;
}

/** Starts an issuer for each provider, and a Reeve that knows them under their ids. */
export async function startIssuers(providers: Readonly<Record<string, ProviderKeys>>, publicUrl = PUBLIC_URL) {
  const folder = mkdtempSync(join(tmpdir(), "reeve-providers-"));
  const issuers = new Map<string, Issuer>();
  after(async () => {
    for (const issuer of issuers.values()) await issuer.close();
    rmSync(folder, { recursive: true });
  });
  const listed = [];
  for (const [id, keys] of Object.entries(providers)) {
    const redirectUris = [`${publicUrl}/console/sign-in/${id}/callback`];
    const issuer = await startIssuer({ clientId: "reeve", clientSecret: `secret of ${id}`, redirectUris });
    issuers.set(id, issuer);
    writeFileSync(join(folder, id), `secret of ${id}\n`);
    const scopes = ["openid", "email", "profile", "groups"];
    const name = id.replace(/^./, (letter) => letter.toUpperCase());
    listed.push({ id, name, issuer: issuer.url, clientId: "reeve", clientSecretFile: id, scopes, ...keys });
  }
  const oidcFile = join(folder, "oidc.yaml");
  writeFileSync(oidcFile, stringify({ providers: listed }));
  return { issuers, flags: { oidcFile, publicUrl } };
}

export async function startProviderWorld(
  providers: Readonly<Record<string, ProviderKeys>>,
  flags: Flags = {},
  logTo?: (line: string) => void,
): Promise<ProviderWorld> {
  const { issuers, flags: own } = await startIssuers(providers);
  return { ...(await startOwnApp({ ...own, ...flags }, logTo)), issuers };
}
