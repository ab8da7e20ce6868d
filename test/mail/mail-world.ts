// What the tests of mail share: a running Reeve with a double of a mail server.
import assert from "node:assert/strict";
import type { App } from "../../src/serve/app.ts";
import { send, startOwnApp, uniqueName } from "../harness/test-app.ts";
import type { TestResponse, TestApp, TestTeam, TestUser } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import type { MailServer, ReceivedMail } from "./mail-server.ts";

export interface MailWorld extends TestApp {
  /** Lines of the log, from warnings up. */
  readonly logged: readonly string[];
  /** A new team with its owner. */
  openTeam(): Promise<{ readonly owner: TestUser; readonly team: TestTeam }>;
  /** Invites an address, through another process on the same database where one is given. */
  invite(into: { readonly owner: TestUser; readonly team: TestTeam }, email: string, app?: App): Promise<TestResponse>;
  rowsTo(recipient: string): Promise<Record<string, unknown>[]>;
  untilQueueForgets(recipient: string): Promise<void>;
  /** Waits until the first attempt is over and the next one is postponed by a short delay. */
  untilPostponed(recipient: string): Promise<number>;
  /** A user with the address, new or known, tries a code. */
  join(email: string, inviteCode: string, app?: App): Promise<TestResponse>;
}

export function addressOf(name: string): string {
  return `${uniqueName(name)}@guests.example`;
}

export function mailsTo(recipient: string, { received }: MailServer): ReceivedMail[] {
  return received.filter(({ recipients }) => recipients.includes(recipient));
}

export async function firstMailTo(recipient: string, server: MailServer): Promise<ReceivedMail> {
  return await waitFor(`a mail to ${recipient}`, () => mailsTo(recipient, server)[0]);
}

export function codeIn({ text }: ReceivedMail): string {
  const code = /\/console\/invitation\?code=(\w{40})$/m.exec(text)?.[1];
  assert.ok(code, text);
  return code;
}

export async function startMailWorld({ url }: MailServer): Promise<MailWorld> {
  const logged: string[] = [];
  const settings = { smtpUrl: url, mailFrom: "Reeve <reeve@mail.example>", publicUrl: "https://reeve.example" };
  const api = await startOwnApp({ ...settings, logLevel: "warn" }, (line) => logged.push(line));
  const { query, clock } = api;
  const rowsTo = (recipient: string) => query(`select * from mails where recipient = '${recipient}'`);
  return {
    ...api,
    logged,
    async openTeam() {
      const owner = await api.createUser();
      return { owner, team: await api.createTeam(owner) };
    },
    invite: ({ owner, team }, email, app = api.app) =>
      send(app, "POST", `/v1/teams/${team.id}/members`, { token: owner.token, body: { email } }),
    rowsTo,
    async untilQueueForgets(recipient) {
      await waitFor(
        `the queue to forget ${recipient}`,
        async () => (await rowsTo(recipient)).length === 0 || undefined,
      );
    },
    async untilPostponed(recipient) {
      return await waitFor("a failed attempt", async () => {
        const [row] = await rowsTo(recipient);
        const [attempts, dueAt] = [Number(row?.["attempts"]), Number(row?.["due_at"])];
        // A claim lasts longer than the first delay.
        return attempts === 1 && dueAt > clock.now && dueAt < clock.now + 60_000 ? dueAt : undefined;
      });
    },
    async join(email, inviteCode, app = api.app) {
      const username = email.slice(0, email.indexOf("@"));
      await send(app, "POST", "/v1/users", { token: api.admin.token, body: { username, email } });
      const [user] = await query(`select id from users where email = '${email}'`);
      const order = { userId: String(user?.["id"]), name: "test" };
      const { value } = await app.runner.changes.issueToken(order, clock.now);
      return await send(app, "POST", "/v1/teams/join", { token: value, body: { inviteCode } });
    },
  };
}
