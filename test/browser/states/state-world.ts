// What the states of pages need: a Reeve, and steps that many of them begin with.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { signInLinkUrl } from "../../../src/identity/sign-in/link-url.ts";
import { uniqueName } from "../../harness/test-app.ts";
import type { TestUser } from "../../harness/test-app.ts";
import { waitFor } from "../../harness/wait-for.ts";
import type { MailServer } from "../../mail/mail-server.ts";
import { mailsTo } from "../../mail/mail-world.ts";
import { openSession } from "../../sign-in/open-session.ts";
import type { WebApp } from "../browser-world.ts";

/** Leads a page on which nobody is signed in to a state. */
export type Open = (page: Page) => Promise<void>;
/** By the path of the page, then by the name of the state. */
export type PageStates = Readonly<Record<string, Readonly<Record<string, Open>>>>;

export interface StateWorld extends WebApp {
  goTo(page: Page, path: string): Promise<unknown>;
  /** Opens a path, and is done when the page has this title. */
  to(path: string, title: string | RegExp): Open;
  /** Signs somebody in, or a new user. */
  signIn(page: Page, user?: TestUser): Promise<TestUser>;
  /** Opens the link that the operator makes for somebody. */
  openLink(page: Page, user: Pick<TestUser, "id">): Promise<void>;
  /** The link to a page in a mail to somebody. */
  linkTo(recipient: string, path: string): Promise<string>;
}

/** A password that is refused. */
export const WEAK = "password1234";

export const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).first().click();
export const seesTitle = (page: Page, name: string | RegExp) => page.getByRole("heading", { name, level: 1 }).waitFor();
export const seesProblem = (page: Page) => page.locator("p.problem:not(:empty)").waitFor();

export function openStateWorld(world: WebApp, mailServer: MailServer): StateWorld {
  const { app, clock, createUser, url } = world;
  const goTo = (page: Page, path: string) => page.goto(`${url}/console/${path}`);
  return {
    ...world,
    goTo,
    to: (path, title) => async (page) => {
      await goTo(page, path);
      await seesTitle(page, title);
    },
    async signIn(page, user) {
      const who = user ?? (await createUser());
      const { session } = await openSession(world, who);
      await page.context().addCookies([{ name: "reeve", value: session, url }]);
      return who;
    },
    async openLink(page, { id }) {
      const link = await app.runner.changes.createSignInLink({ name: id }, clock.now);
      assert.ok(link);
      await page.goto(signInLinkUrl(url, link.purpose, link.code));
    },
    async linkTo(recipient, path) {
      const pattern = new RegExp(`^${RegExp.escape(`${url}/console/${path}`)}\\?code=\\S+$`, "m");
      return await waitFor(`a link to ${path} in a mail to ${recipient}`, () =>
        mailsTo(recipient, mailServer)
          .map(({ text }) => pattern.exec(text)?.[0])
          .find((link) => link !== undefined),
      );
    },
  };
}

/** Gives an account something of everything that its page lists. */
export async function fillAccount({ query, clock }: WebApp, { id, email }: TestUser): Promise<void> {
  const { now } = clock;
  for (const [position, rpId] of ["localhost", "reeve.example.com"].entries()) {
    const key = uniqueName("passkey");
    await query(
      `insert into passkeys (id, user_id, credential_id, rp_id, public_key, counter, transports, name, used_at, created_at, position)
        values ('${key}', '${id}', '${key}', '${rpId}', '', 0, '[]', 'Laptop ${position}', ${position === 0 ? now : "null"}, ${now}, ${position + 1})`,
    );
  }
  for (const [position, provider] of ["keycloak", "gone"].entries()) {
    const key = uniqueName("identity");
    await query(
      `insert into identities (id, user_id, provider, issuer, subject, email, used_at, created_at, position)
        values ('${key}', '${id}', '${provider}', '${provider}', '${key}', '${email}', ${now}, ${now}, ${position + 1})`,
    );
  }
  await query(`insert into passwords (user_id, hash, changed_at) values ('${id}', 'none', ${now})`);
}
