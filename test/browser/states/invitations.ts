// The page of an invitation.
import { uniqueName } from "../../harness/test-app.ts";
import { WEAK, press, seesProblem, seesTitle } from "./state-world.ts";
import type { PageStates, StateWorld } from "./state-world.ts";

export function openInvitations(world: StateWorld): PageStates {
  const { to, goTo, createUser, createTeam, request, signIn, linkTo } = world;
  const invite = async () => {
    const [owner, email] = [await createUser(), `${uniqueName("guest")}@guests.example`];
    const team = await createTeam(owner);
    const body = { email, role: "DEVELOPER" };
    await request("POST", `/v1/teams/${team.id}/members`, { token: owner.token, body });
    return { owner, team, link: await linkTo(email, "invitation") };
  };
  return {
    invitation: {
      async "invitation-stranger"(page) {
        await page.goto((await invite()).link);
        await page.getByLabel("Username").waitFor();
      },
      async "invitation-refused"(page) {
        await page.goto((await invite()).link);
        await page.getByLabel("Password").fill(WEAK);
        await press(page, "Create account and join");
        await seesProblem(page);
      },
      async "invitation-other-account"(page) {
        await signIn(page);
        await page.goto((await invite()).link);
        await press(page, /^Join as /);
        await seesProblem(page);
      },
      async "invitation-code"(page) {
        const { owner, team } = await invite();
        const { body } = await request("POST", `/v1/teams/${team.id}/invites`, { token: owner.token, body: {} });
        await goTo(page, `invitation?code=${body.code ?? body.invite.code}`);
        await page.getByText("This link is for people who have an account here").waitFor();
      },
      async "invitation-by-id"(page) {
        const { owner, team } = await invite();
        const body = { uid: (await signIn(page)).id, role: "VIEWER" };
        await request("POST", `/v1/teams/${team.id}/members`, { token: owner.token, body });
        await goTo(page, `invitation?team=${team.id}`);
        await seesTitle(page, `Join ${team.slug}`);
      },
      "invitation-dead": to("invitation?code=used", "This invitation no longer works"),
    },
  };
}
