// A Reeve for browsers: it listens on loopback, and its public URL is where it listens.
import type { Page } from "playwright-core";
import { freePort } from "../harness/free-port.ts";
import { builtFile } from "../harness/program.ts";
import { startOwnApp } from "../harness/test-app.ts";
import type { TestApp } from "../harness/test-app.ts";
import type { Flags } from "../../src/serve/config/config.ts";

export interface WebApp extends TestApp {
  /** Its public URL, without a slash at the end. Passkeys need a host that is a name. */
  readonly url: string;
}

/** `flags` may depend on the public URL. */
export async function startWebApp(flags: Flags | ((url: string) => Promise<Flags>) = {}): Promise<WebApp> {
  builtFile("console/index.html");
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const api = await startOwnApp({ publicUrl: url, ...(typeof flags === "function" ? await flags(url) : flags) });
  // Chromium tries ::1 first where the machine has it, and is refused there.
  await api.app.server.listen({ host: "127.0.0.1", port });
  return { ...api, url };
}

/** Waits until somebody is on the first page of the console. `name` is what they are called there. */
export async function seesConsole(page: Page, name: string): Promise<void> {
  await page.getByRole("heading", { name: "Teams", level: 1 }).waitFor();
  await page.getByRole("button", { name: `Your account: ${name}`, exact: true }).waitFor();
}

/** Signs out by the menu of the console's sidebar. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Your account: / }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
}
