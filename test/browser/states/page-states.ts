// Each page without script in each of its states: the data of test/browser/pages.test.ts.
import assert from "node:assert/strict";
import { startMailServer } from "../../mail/mail-server.ts";
import type { Issuer } from "../../sign-in/oidc-issuer.ts";
import { startIssuers } from "../../sign-in/provider-world.ts";
import { startWebApp } from "../browser-world.ts";
import { openAccount, openHome } from "./accounts.ts";
import { openEmailChanges } from "./email-changes.ts";
import { openInvitations } from "./invitations.ts";
import { openPrograms } from "./programs.ts";
import { openProviders } from "./providers.ts";
import { openStateWorld } from "./state-world.ts";
import type { Open, PageStates } from "./state-world.ts";
import { openRecovery, openWaysIn } from "./ways-in.ts";
import { openWithoutPasswords } from "./without-passwords.ts";

function merge(all: readonly PageStates[]): PageStates {
  const merged: Record<string, Record<string, Open>> = {};
  for (const states of all) {
    for (const [path, named] of Object.entries(states)) merged[path] = { ...merged[path], ...named };
  }
  return merged;
}

export async function openPageStates(): Promise<PageStates> {
  const mailServer = await startMailServer();
  let issuer: Issuer | undefined;
  const full = await startWebApp(async (url) => {
    const { issuers, flags } = await startIssuers({ keycloak: {} }, url);
    issuer = issuers.get("keycloak");
    return { ...flags, smtpUrl: mailServer.url, signUp: "open", console: "off" };
  });
  assert.ok(issuer);
  const world = openStateWorld(full, mailServer);
  const bare = openStateWorld(await startWebApp({ passwords: "off" }), mailServer);
  const openers = [openWaysIn, openRecovery, openInvitations, openHome, openAccount, openEmailChanges, openPrograms];
  return merge([...openers.map((open) => open(world)), openProviders(world, issuer), openWithoutPasswords(bare)]);
}
