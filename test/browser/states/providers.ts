// The way to a provider and back. The provider is Keycloak by name.
import type { Page } from "playwright-core";
import { uniqueName } from "../../harness/test-app.ts";
import type { Issuer } from "../../sign-in/oidc-issuer.ts";
import { press, seesTitle } from "./state-world.ts";
import type { PageStates, StateWorld } from "./state-world.ts";

export function openProviders(world: StateWorld, issuer: Issuer): PageStates {
  const { createUser, createTeam, query, request, to, goTo, signIn, linkTo } = world;
  /** Somebody at the provider, who signs in there next. */
  const expectPerson = (email: string) => {
    const subject = uniqueName("subject");
    issuer.setAccount(subject, { email, email_verified: true, name: "Ada" });
    issuer.expect(subject);
  };
  const goThere = async (page: Page) => {
    await goTo(page, "sign-in/keycloak");
    await press(page, "Continue to Keycloak");
  };
  const meetAccount = async (page: Page) => {
    const user = await createUser();
    expectPerson(user.email);
    await goThere(page);
    await seesTitle(page, "You have an account here");
    return user;
  };
  return {
    "sign-in/:provider": {
      provider: to("sign-in/keycloak", "Sign in with Keycloak"),
      async "provider-leaving"(page) {
        await page.route(
          ({ origin }) => origin === issuer.url,
          (route) => route.abort("aborted"),
        );
        await goThere(page);
        await seesTitle(page, "Continue at Keycloak");
      },
      "provider-unknown": to("sign-in/nowhere", "That did not work"),
    },
    "sign-in/:provider/callback": {
      async "provider-has-account"(page) {
        await meetAccount(page);
      },
      async "provider-has-unconfirmed-account"(page) {
        const [owner, { id, email }] = [await createUser(), await createUser()];
        await query(`update users set email_confirmed_at = null where id = '${id}'`);
        const team = await createTeam(owner);
        await request("POST", `/v1/teams/${team.id}/members`, { token: owner.token, body: { email } });
        expectPerson(email);
        await page.goto(await linkTo(email, "invitation"));
        await press(page, "Continue with Keycloak");
        await page.getByRole("heading", { name: "That account is not yours?" }).waitFor();
      },
      async "provider-no-account"(page) {
        expectPerson(`${uniqueName("person")}@acme.example`);
        await goThere(page);
        await seesTitle(page, "No account here");
      },
      async "provider-cancelled"(page) {
        issuer.expect("cancel");
        await goThere(page);
        await seesTitle(page, "Not signed in with Keycloak");
      },
    },
    connect: {
      async connect(page) {
        await signIn(page, await meetAccount(page));
        await goTo(page, "connect?return=account");
        await seesTitle(page, "Connect with Keycloak");
      },
      async "connect-nothing"(page) {
        await signIn(page);
        await goTo(page, "connect?return=account");
        await seesTitle(page, "Nothing to connect");
      },
    },
  };
}
