// A change of address, from the account page to the links in mails.
import type { Page } from "playwright-core";
import { uniqueName } from "../../harness/test-app.ts";
import { press, seesTitle } from "./state-world.ts";
import type { PageStates, StateWorld } from "./state-world.ts";

export function openEmailChanges(world: StateWorld): PageStates {
  const { to, goTo, signIn, linkTo } = world;
  const changeEmail = async (page: Page) => {
    const [user, email] = [await signIn(page), `${uniqueName("moved")}@example.com`];
    await goTo(page, "account");
    await page.getByLabel("New address").fill(email);
    await press(page, "Change the address");
    await page.getByText("It changes to").waitFor();
    return { user, email };
  };
  return {
    account: {
      async "account-moving"(page) {
        await changeEmail(page);
      },
    },
    "confirm-email": {
      async "confirm-email-old"(page) {
        const { user } = await changeEmail(page);
        await page.goto(await linkTo(user.email, "confirm-email"));
        await seesTitle(page, "Confirm an e-mail address");
      },
      async "confirm-email-new"(page) {
        const { email } = await changeEmail(page);
        await page.goto(await linkTo(email, "confirm-email"));
        await seesTitle(page, "Confirm an e-mail address");
      },
      "confirm-email-waits": to("confirm-email?done=old", "Your e-mail address"),
      "confirm-email-done": to("confirm-email?done=changed", "Your e-mail address"),
      "confirm-email-dead": to("confirm-email?code=used", "This link no longer works"),
    },
  };
}
