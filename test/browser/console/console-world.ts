// What tests of the console begin with: a Reeve, and somebody who is signed in to it.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { ADDRESSES } from "../../../console/addresses.ts";
import type { Flags } from "../../../src/serve/config/config.ts";
import type { Locator, Page } from "playwright-core";
import { openSession } from "../../sign-in/open-session.ts";
import type { Body, TestTeam, TestUser } from "../../harness/test-app.ts";
import { openBrowser } from "../browser.ts";
import { startWebApp } from "../browser-world.ts";
import type { WebApp } from "../browser-world.ts";

export interface ConsoleWorld extends WebApp {
  /** Opens a page of the console as somebody; `path` is below /console/. */
  open(t: TestContext, user: TestUser, path: string): Promise<Page>;
  /** A page of somebody's browser that shows nothing yet and goes by the machine's clock. */
  openBlank(t: TestContext, user: TestUser): Promise<Page>;
  /** A new team with its OWNER. */
  createOwner(): Promise<{ readonly owner: TestUser; readonly team: TestTeam }>;
  /** Sends a request as somebody, for a team; gives the body of the response, which is no refusal. */
  send(user: TestUser, team: TestTeam, method: string, path: string, body?: unknown): Promise<Body>;
  /** A new member of a team. */
  addMember(team: TestTeam, owner: TestUser, role: string, name?: string): Promise<TestUser>;
}

/** The addresses of all pages, and of their other views. */
export const PLACES: readonly string[] = [
  ...Object.values(ADDRESSES),
  ...["table", "versions", "reads", "settings"].map((view) => `${ADDRESSES.environment}?view=${view}`),
  ...["types", "verify"].map((view) => `${ADDRESSES.webhook}?view=${view}`),
];

/** Opens another view of a page. */
export const view = (page: Page, of: string, name: string) =>
  page.getByRole("navigation", { name: of, exact: true }).getByRole("link", { name, exact: true }).click();

export const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
/** Chooses an action in the menu of a row. */
export async function choose(row: Locator, action: string): Promise<void> {
  await row.getByRole("button", { name: /^Actions for / }).click();
  await row.page().getByRole("menuitem", { name: action, exact: true }).click();
}
/** Chooses from the list that a field opens. */
export async function pick(field: Locator, option: string | RegExp): Promise<void> {
  await field.click();
  await field.page().getByRole("option", { name: option, exact: true }).click();
}
/** Chooses what the list of a field need not have. */
export async function pickTyped(field: Locator, text: string): Promise<void> {
  await field.click();
  await field.page().getByRole("combobox", { name: "Search", exact: true }).fill(text);
  await field.page().getByRole("option", { name: text, exact: true }).click();
}
/** By the breadcrumbs: the heading of a tab is that of the first one. */
export const seesPage = (page: Page, name: string) =>
  page
    .getByRole("navigation", { name: "Breadcrumbs" })
    .getByText(name, { exact: true })
    .and(page.locator("[aria-current]"))
    .waitFor();
export const seesHeading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();

/** Starts Reeve and a browser for the tests of a file. */
export async function startConsole(flags: Flags = {}): Promise<ConsoleWorld> {
  const browser = await openBrowser();
  const world = await startWebApp({ egressAllow: "127.0.0.1", ...flags });
  const { createTeam, createUser, request, url } = world;
  async function openBlank(t: TestContext, user: TestUser): Promise<Page> {
    const page = await browser.openPage(t);
    const { session } = await openSession(world, user);
    await page.context().addCookies([{ name: "reeve", value: session, url }]);
    return page;
  }
  return {
    ...world,
    openBlank,
    async open(t, user, path) {
      const page = await openBlank(t, user);
      // The server's clock stands still until a test moves it.
      await page.clock.setFixedTime(world.clock.now);
      await page.goto(`${url}/console/${path}`);
      return page;
    },
    async createOwner() {
      const owner = await createUser();
      return { owner, team: await createTeam(owner) };
    },
    async send(user, team, method, path, body) {
      const response = await request(method, `${path}${path.includes("?") ? "&" : "?"}teamId=${team.id}`, {
        token: user.token,
        ...(body !== undefined && { body }),
      });
      assert.ok(response.status < 300, response.text);
      return response.body;
    },
    async addMember(team, owner, role, name) {
      const user = await createUser(name);
      const path = `/v1/teams/${team.id}/members`;
      await request("POST", path, { token: owner.token, body: { uid: user.id, role } });
      await request("POST", "/v1/teams/join", { token: user.token, body: { teamId: team.id } });
      return user;
    },
  };
}
