// Makes a link that signs in to an account: for those who are locked out, by anyone who may open the database.
import { keySources } from "../../serve/config/data-paths.ts";
import type { Settings } from "../../serve/config/config.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { openKeyring } from "../../platform/keyring/keyring.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import { createRegistry } from "../../serve/composition/registry.ts";
import { withExistingDatabase } from "../../serve/open-database.ts";
import { shownUrl } from "../../serve/config/own-url.ts";
import { signInLinkUrl } from "../../identity/sign-in/link-url.ts";

/** A link that signs in to an account once. */
export interface SignInLink {
  readonly username: string;
  readonly url: string;
  /** ms */
  readonly expiresAt: number;
}

/** The link for the account with this username, e-mail address or id. Links made before no longer work. */
export async function makeSignInLink(settings: Settings, name: string, clock: Clock): Promise<SignInLink> {
  return await withExistingDatabase(settings, async (database) => {
    const { changes } = createRegistry(openKeyring(keySources(settings)));
    const link = await database.transaction((tx) => changes.createSignInLink(tx, { name }, clock()));
    if (!link) {
      throw new ApiError("user_not_found", `there is no user "${name}"; \`reeve user list\` shows the accounts`);
    }
    const { username, purpose, code, expiresAt } = link;
    const baseUrl = shownUrl(settings) ?? `http://${settings.host}:${settings.port}`;
    return { username, url: signInLinkUrl(baseUrl, purpose, code), expiresAt };
  });
}
