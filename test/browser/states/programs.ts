// The pages on which people approve programs.
import { createOAuthClient } from "../../sign-in/oauth-client.ts";
import { press, seesProblem, seesTitle } from "./state-world.ts";
import type { Open, PageStates, StateWorld } from "./state-world.ts";

export function openPrograms(world: StateWorld): PageStates {
  const { goTo, signIn, createTeam } = world;
  const findDevice: Open = async (page) => {
    const user = await signIn(page);
    await createTeam(user);
    const { user_code } = await createOAuthClient(world).begin({ device_name: "laptop" }, { ip: "203.0.113.7" });
    await goTo(page, `device?user_code=${user_code}`);
    await press(page, "Continue");
    await seesTitle(page, "Give access to the Reeve command line?");
  };
  const challenge = "a".repeat(43);
  const redirect = encodeURIComponent("http://127.0.0.1:9/callback");
  const authorize: Open = async (page) => {
    await signIn(page);
    await page.goto(
      `${world.url}/oauth/authorize?client_id=reeve-local&response_type=code&redirect_uri=${redirect}&code_challenge=${challenge}&code_challenge_method=S256`,
    );
    await seesTitle(page, "Give access to a program on this computer?");
  };
  return {
    device: {
      async "device-code"(page) {
        await signIn(page);
        await goTo(page, "device");
      },
      async "device-unknown"(page) {
        await signIn(page);
        await goTo(page, "device?user_code=BBBB-BBBB");
        await press(page, "Continue");
        await seesProblem(page);
      },
      "device-choice": findDevice,
      async "device-approved"(page) {
        await findDevice(page);
        await press(page, /^Approve as /);
        await seesTitle(page, "Approved");
      },
      async "device-refused"(page) {
        await findDevice(page);
        await press(page, "Refuse");
        await seesTitle(page, "Refused");
      },
    },
    authorize: {
      authorize,
      async "authorize-approved"(page) {
        await authorize(page);
        await press(page, /^Approve as /);
        await seesTitle(page, "Approved");
      },
      async "authorize-nothing"(page) {
        await signIn(page);
        await goTo(page, "authorize?request=none");
        await seesTitle(page, "Nothing to approve");
      },
    },
  };
}
