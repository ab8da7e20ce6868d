// The console in a real Chromium, through each program by its file and below a path: sign-in with a passkey, changes, live events.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { signInLinkUrl } from "../../src/identity/sign-in/link-url.ts";
import { openBrowser } from "../browser/browser.ts";
import { seesConsole, signOut } from "../browser/browser-world.ts";
import { addPasskeyDevice } from "../browser/passkeys.ts";
import { startBehind, startFront } from "./front-world.ts";
import type { Behind } from "./front-world.ts";
import { PROGRAMS } from "./programs.ts";
import type { ProgramName } from "./programs.ts";

const browser = await openBrowser();
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

describe("the console", { concurrency: true }, () => {
  for (const name of Object.keys(PROGRAMS) as ProgramName[]) {
    it(`behind ${name}, below a path, signs in with a passkey, saves changes and follows events`, async (t) => {
      let reeve: Behind | undefined;
      const { url, relay } = await startFront(name, "below", async (own) => (reeve = await startBehind(own)));
      assert.ok(reeve);
      const { app, clock, createTeam, createUser, request } = reeve;
      const user = await createUser();
      const team = await createTeam(user);
      const link = await app.runner.changes.createSignInLink({ name: user.username }, clock.now);
      assert.ok(link);

      const page = await browser.openPage(t, { ignoreHTTPSErrors: true });
      await addPasskeyDevice(page);
      const arrived = await page.goto(signInLinkUrl(url, link.purpose, link.code));
      assert.equal(arrived?.headers()["strict-transport-security"], "max-age=31536000");
      await page.getByLabel("E-mail address").fill(user.email);
      await press(page, "Use a passkey instead of a password");
      await seesConsole(page, user.username);
      await signOut(page);
      await press(page, "Continue with a passkey");
      await seesConsole(page, user.username);
      assert.equal(page.url(), `${url}/console/`);
      const cookies = (await page.context().cookies()).map((cookie) => [cookie.name, cookie.secure, cookie.path]);
      assert.deepEqual(cookies.toSorted(), [
        ["__Host-reeve", true, "/"],
        ["__Host-reeve-device", true, "/"],
      ]);

      await page.goto(`${url}/console/teams/${team.slug}/settings`);
      for (const text of ["First", "Second"]) {
        await page.getByLabel("Name").fill(text);
        const answered = page.waitForResponse((response) => response.request().method() === "PATCH");
        await press(page, "Save");
        assert.equal((await answered).status(), 200);
      }
      await page.goto(`${url}/console/teams/${team.slug}/events`);
      await press(page, "Follow");
      await page.waitForURL(/live=on/);
      const change = { token: user.token, body: { name: "Seen at once" } };
      const changed = await request("PATCH", `/v2/teams/${team.id}`, change);
      assert.equal(changed.status, 200, changed.text);
      await page.getByText("changed the team's name to Seen at once").waitFor();

      await page.goto(`${url}/console/teams/${team.slug}/settings`);
      await page.getByLabel("Name").fill("Lost");
      await relay.close();
      await press(page, "Save");
      await page
        .getByText(/A proxy in front of the server responds with 50[23]: it does not reach the server/)
        .waitFor();
    });
  }
});
