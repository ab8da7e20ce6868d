// Pages of a server that has no passwords, sends no mail, and makes accounts by invitation.
import { uniqueName } from "../../harness/test-app.ts";
import { fillAccount, seesTitle } from "./state-world.ts";
import type { Open, PageStates, StateWorld } from "./state-world.ts";

/** Forms where passwords and mail are switched off, and accounts are made by invitation. */
export function openWithoutPasswords(world: StateWorld): PageStates {
  const { to, goTo, signIn, openLink, createUser, createTeam, request } = world;
  const invite: Open = async (page) => {
    const owner = await createUser();
    const team = await createTeam(owner);
    const body = { email: `${uniqueName("guest")}@guests.example` };
    const invited = await request("POST", `/v1/teams/${team.id}/members`, { token: owner.token, body });
    await goTo(page, `invitation?code=${invited.body.code}`);
    await page.getByLabel("Username").waitFor();
  };
  return {
    "sign-in": { "sign-in-passkey-only": to("sign-in", "Sign in") },
    "sign-up": { "sign-up-closed": to("sign-up", "Ask for an invitation") },
    "set-up": { "set-up-passkey-only": async (page) => openLink(page, await createUser()) },
    recover: {
      "recover-without-mail": to("recover", "I can't sign in"),
      async "recover-link-passkey-only"(page) {
        const user = await createUser();
        await fillAccount(world, user);
        await openLink(page, user);
        await seesTitle(page, /^Sign in as /);
      },
    },
    invitation: { "invitation-passkey-only": invite },
    prove: {
      async "prove-passkey-only"(page) {
        await signIn(page);
        await goTo(page, "prove?return=account");
      },
    },
    account: {
      async "account-passkey-only"(page) {
        const user = await createUser();
        await fillAccount(world, user);
        await signIn(page, user);
        await goTo(page, "account");
        await page.getByText("Passwords are switched off here").waitFor();
      },
    },
  };
}
