// Runs the firewall commands of `vercel` 64 on a project, and reads what Reeve stored without them.
import assert from "node:assert/strict";
import type { Body, TestTeam, TestUser } from "../../harness/test-app.ts";
import type { StartedApp } from "../started-app.ts";
import { Cli } from "./vercel.ts";
import type { CliResult, Reply } from "./vercel.ts";

export const PROJECT = "web";

/** Whose firewall: the user's own, or with `--scope` a team's. */
export interface Owner {
  readonly user: TestUser;
  readonly team?: TestTeam;
}

/** What a command printed for people, line by line, without the empty ones. */
export function linesOf({ stderr }: CliResult): string[] {
  return stderr
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Whether the lines are among those printed, in this order and with nothing in between. */
export function assertPrinted(result: CliResult, lines: readonly string[]): void {
  const printed = linesOf(result).join("\n");
  assert.ok(printed.includes(lines.join("\n")), `expected\n${lines.join("\n")}\nin\n${printed}`);
}

export function firewallCli(reeve: StartedApp) {
  async function run(
    { user, team }: Owner,
    args: readonly string[],
    options?: { readonly isTerminal?: boolean },
    replies?: readonly Reply[],
  ): Promise<CliResult> {
    using cli = new Cli(reeve.url, "vercel-64");
    const scope = team ? ["--scope", team.slug] : [];
    return await cli.run(["--token", user.token, ...scope, ...args], replies, options);
  }
  async function call({ user, team }: Owner, method: string, path: string, body?: unknown) {
    const query = `projectId=${PROJECT}${team ? `&teamId=${team.id}` : ""}`;
    const options = { token: user.token, ...(body === undefined ? {} : { body }) };
    return await reeve.request(method, `${path}?${query}`, options);
  }
  return {
    run,
    call,
    /** Runs `firewall ...` on the project and expects that it succeeds. */
    async firewall(owner: Owner, ...args: readonly string[]): Promise<CliResult> {
      const result = await run(owner, ["firewall", ...args, "--project", PROJECT]);
      assert.equal(result.exitCode, 0, result.stderr);
      return result;
    },
    /** The same for what wants a person at a terminal. */
    async firewallAtTerminal(owner: Owner, ...args: readonly string[]): Promise<CliResult> {
      const result = await run(owner, ["firewall", ...args, "--project", PROJECT], { isTerminal: true });
      assert.equal(result.exitCode, 0, result.stderr);
      return result;
    },
    /** The active configuration; null when there is none. */
    async active(owner: Owner): Promise<Body> {
      const { status, body, text } = await call(owner, "GET", "/v1/firewalls/active");
      assert.ok([200, 404].includes(status), text);
      return status === 404 ? null : body;
    },
  };
}
