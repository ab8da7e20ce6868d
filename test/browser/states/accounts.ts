// The pages of people who are signed in, about themselves.
import { createOAuthClient } from "../../sign-in/oauth-client.ts";
import { openSession } from "../../sign-in/open-session.ts";
import { WEAK, fillAccount, press, seesProblem, seesTitle } from "./state-world.ts";
import type { Open, PageStates, StateWorld } from "./state-world.ts";

export function openHome(world: StateWorld): PageStates {
  const { goTo, signIn, createTeam, createUser, query, request } = world;
  return {
    plain: {
      async "home-empty"(page) {
        await signIn(page);
        await goTo(page, "plain");
      },
      async home(page) {
        const user = await createUser();
        const team = await createTeam(user);
        await request("PATCH", `/v1/teams/${team.id}`, { token: user.token, body: { name: "Compilers & Co." } });
        await createTeam(user);
        await signIn(page, user);
        await goTo(page, "plain");
        await page.getByText("Compilers & Co.").waitFor();
      },
    },
    tokens: {
      async tokens(page) {
        const user = await createUser();
        await createOAuthClient(world).signIn(user);
        await signIn(page, user);
        await goTo(page, "tokens");
        await page.getByText("reeve login on laptop").waitFor();
      },
      async "tokens-none"(page) {
        const { id } = await signIn(page);
        await query(`delete from access_tokens where user_id = '${id}'`);
        await goTo(page, "tokens");
        await page.getByText("You have none").waitFor();
      },
    },
  };
}

export function openAccount(world: StateWorld): PageStates {
  const { goTo, signIn, createUser, query } = world;
  const open =
    (path: string): Open =>
    async (page) => {
      await signIn(page);
      await goTo(page, path);
    };
  return {
    account: {
      "account-new": open("account"),
      async account(page) {
        const user = await createUser();
        await fillAccount(world, user);
        for (let count = 0; count < 2; count++) await openSession(world, user);
        await signIn(page, user);
        await goTo(page, "account");
        await page.getByText("this provider is no longer there").waitFor();
      },
      async "account-unconfirmed"(page) {
        const user = await createUser();
        await query(`update users set email_confirmed_at = null where id = '${user.id}'`);
        await signIn(page, user);
        await goTo(page, "account");
        await page.getByText("not confirmed").waitFor();
      },
      async "account-refused"(page) {
        await open("account")(page);
        await page.getByLabel("New password").fill(WEAK);
        await press(page, "Set a password");
        await seesProblem(page);
      },
      async "recovery-codes"(page) {
        await open("account")(page);
        await press(page, "Make ten codes");
        await seesTitle(page, "Your recovery codes");
      },
    },
    prove: {
      async prove(page) {
        const user = await createUser();
        await fillAccount(world, user);
        await signIn(page, user);
        await goTo(page, "prove?return=account");
        await seesTitle(page, "Confirm it is you");
      },
      async "prove-refused"(page) {
        await open("prove?return=account")(page);
        await page.getByLabel("Your password").fill("wrong");
        await press(page, "Confirm");
        await seesProblem(page);
      },
    },
  };
}
