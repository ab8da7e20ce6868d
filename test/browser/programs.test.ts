// Approving programs in a real browser: the command line by its code, and a program on the same machine.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { TestContext } from "node:test";
import * as oauth from "openid-client";
import type { Page } from "playwright-core";
import { runReeve, startReeve } from "../cli/reeve-process.ts";
import type { TestUser } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { openSession } from "../sign-in/open-session.ts";
import { assertAccessible } from "./accessibility.ts";
import { openBrowser } from "./browser.ts";
import { startWebApp } from "./browser-world.ts";

const browser = await openBrowser();
const app = await startWebApp();
const { url, clock, createUser, createTeam, request } = app;
const folder = mkdtempSync(join(tmpdir(), "reeve-browser-"));
after(() => rmSync(folder, { recursive: true }));
/** The command line has a home of its own. */
const HOME = { HOME: folder, XDG_CONFIG_HOME: folder };

/** A page of somebody who is signed in. */
async function openPageOf(t: TestContext, user: TestUser): Promise<Page> {
  const page = await browser.openPage(t);
  const { session } = await openSession(app, user);
  await page.context().addCookies([{ name: "reeve", value: session, url }]);
  return page;
}

test("the command line signs in by its code, gets what was chosen on the page, and gives it back", async (t) => {
  const user = await createUser();
  const team = await createTeam(user);
  const login = startReeve(["login", "--server", url, "--json"], {}, HOME);
  const link = await waitFor("the link of a login", () => /^ {2}(http\S+)$/m.exec(login.logged())?.[1]);
  const userCode = new URL(link).searchParams.get("user_code") as string;
  const page = await openPageOf(t, user);
  await page.goto(link);
  assert.equal(await page.getByLabel("Code").inputValue(), userCode);
  await assertAccessible(page, { name: "device-code" });
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Give access to the Reeve command line?" }).waitFor();
  await page.getByText(userCode).waitFor();
  await assertAccessible(page, { name: "device-choice" });
  await page.getByLabel("What it may do").selectOption({ label: `Only ${team.slug}` });
  await page.getByLabel("For how long").selectOption({ label: "90 days" });
  await page.getByRole("button", { name: `Approve as ${user.username}` }).click();
  await page.getByRole("heading", { name: "Approved" }).waitFor();
  await assertAccessible(page, { name: "device-approved" });
  // The clock of the server stands still, so each request of the waiting command came too early.
  clock.advance(120_000);
  const { code, stdout, stderr } = await login.ended;
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).username, user.username);
  const { body } = await request("GET", "/v6/user/tokens", { token: user.token });
  const issued = body.tokens.find(({ origin }: { origin: string }) => origin === "app");
  assert.deepEqual([issued.teamId, issued.expiresAt], [team.id, clock.now - 120_000 + 90 * 86_400_000]);
  const { contexts } = JSON.parse(readFileSync(join(folder, "reeve", "contexts.json"), "utf8"));
  const { token } = contexts[new URL(url).host];
  const who = await runReeve(["whoami", "--json"], {}, HOME);
  assert.deepEqual([who.code, JSON.parse(who.stdout).user.username], [0, user.username], who.stderr);
  assert.equal((await request("GET", "/v2/user", { token })).status, 200);
  const out = await runReeve(["logout", "--json"], {}, HOME);
  assert.deepEqual([out.code, JSON.parse(out.stdout).isRevoked], [0, true], out.stderr);
  assert.equal((await request("GET", "/v2/user", { token })).status, 401);
});

test("a program on the same machine opens the browser, and gets its answer when the person has approved", async (t) => {
  const user = await createUser();
  const answers: URL[] = [];
  const listener = createServer(({ url: path = "" }, response) => {
    answers.push(new URL(path, "http://127.0.0.1"));
    response.setHeader("content-type", "text/html").end("<title>program</title>You can close this page.");
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  t.after(() => listener.close());
  const redirect = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`;
  const config = await oauth.discovery(new URL(url), "reeve-local", undefined, oauth.None(), {
    algorithm: "oauth2",
    execute: [oauth.allowInsecureRequests],
  });
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
  const page = await openPageOf(t, user);
  const asked = oauth.buildAuthorizationUrl(config, {
    redirect_uri: redirect,
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  await page.goto(asked.href);
  await page.getByRole("heading", { name: "Give access to a program on this computer?" }).waitFor();
  await assertAccessible(page, { name: "authorize" });
  await page.getByRole("button", { name: `Approve as ${user.username}` }).click();
  await page.getByRole("link", { name: "Back to the program" }).click();
  await page.getByText("You can close this page.").waitFor();
  const callback = answers.find(({ pathname }) => pathname === "/callback") as URL;
  const back = new URL(callback.search, redirect);
  const { access_token: token } = await oauth.authorizationCodeGrant(config, back, { pkceCodeVerifier });
  assert.equal((await request("GET", "/v2/user", { token })).body.user.id, user.id);
});
