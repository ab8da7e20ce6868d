// The pages on which people sign in, and make accounts.
import { uniqueName } from "../../harness/test-app.ts";
import { WEAK, fillAccount, press, seesProblem, seesTitle } from "./state-world.ts";
import type { Open, PageStates, StateWorld } from "./state-world.ts";

export function openWaysIn(world: StateWorld): PageStates {
  const { to, goTo, createUser, openLink, linkTo } = world;
  const setUp: Open = async (page) => openLink(page, await createUser());
  return {
    "sign-in": {
      "sign-in": to("sign-in", "Sign in"),
      async "sign-in-refused"(page) {
        await goTo(page, "sign-in");
        await page.getByLabel("E-mail or username").fill("nobody");
        await page.getByLabel("Password").fill("wrong");
        await press(page, "Sign in");
        await seesProblem(page);
      },
    },
    "sign-up": {
      "sign-up": to("sign-up", "Create an account"),
      "sign-up-sent": to("sign-up?sent=1", "Create an account"),
      "sign-up-dead": to("sign-up?code=used", "This link no longer works"),
      async "sign-up-account"(page) {
        const email = `${uniqueName("stranger")}@example.com`;
        await goTo(page, "sign-up");
        await page.getByLabel("E-mail address").fill(email);
        await press(page, "Send me a link");
        await page.goto(await linkTo(email, "sign-up"));
        await seesTitle(page, "Create an account");
      },
    },
    "set-up": {
      "set-up": setUp,
      "set-up-dead": to("set-up?code=used", "This link no longer works"),
      async "set-up-refused"(page) {
        await setUp(page);
        await page.getByLabel("Password").fill(WEAK);
        await press(page, "Set up and sign in");
        await seesProblem(page);
      },
    },
  };
}

export function openRecovery(world: StateWorld): PageStates {
  const { to, goTo, createUser, openLink } = world;
  return {
    recover: {
      recover: to("recover", "I can't sign in"),
      "recover-sent": to("recover?sent=1", "I can't sign in"),
      async "recover-refused"(page) {
        await goTo(page, "recover");
        const form = page.getByRole("form", { name: "With a recovery code" });
        await form.getByLabel("E-mail or username").fill("nobody");
        await form.getByLabel("Recovery code").fill("wrong");
        await form.getByRole("button", { name: "Sign in" }).click();
        await seesProblem(page);
      },
      async "recover-link"(page) {
        const user = await createUser();
        await fillAccount(world, user);
        await openLink(page, user);
        await seesTitle(page, /^Sign in as /);
      },
    },
  };
}
