// Each kind of mail: its two forms say the same, nothing in it is loaded from anywhere, and its links decide nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { composeMessage } from "./message.ts";
import type { MailContent } from "./outbox.ts";
import type { MailKind } from "./queue.ts";

const BASE = "https://reeve.example";
const ends = Date.UTC(2030, 0, 8, 9, 20);
const code = { code: "rvc_0f4c", expiresAt: ends };
const team = { teamId: "team_1", teamName: "Compilers & Co.", teamSlug: "compilers" };
const account = { teamId: null, username: "dev" };
const ofTeam = { code: null, stopToken: "stop_c4f0" };
const ofAccount = { code: null, stopToken: null };

/** Each kind in each of its forms. */
const MAILS: { readonly [K in MailKind]: readonly (MailContent & { readonly kind: K })[] } = {
  invite: [
    {
      kind: "invite",
      payload: { ...team, inviteId: "inv_1", role: "SECURITY", inviterName: "Owner", expiresAt: ends },
      ...ofTeam,
      code,
    },
    {
      kind: "invite",
      payload: { ...team, inviteId: null, role: "VIEWER", inviterName: null, expiresAt: ends },
      ...ofTeam,
    },
  ],
  "access-request": [{ kind: "access-request", payload: { ...team, userId: "user_1", username: "dev" }, ...ofTeam }],
  "access-request-confirmed": [
    { kind: "access-request-confirmed", payload: { ...team, role: "DEVELOPER" }, ...ofTeam },
  ],
  "webhook-disabled": [
    {
      kind: "webhook-disabled",
      payload: { teamId: "team_1", webhookId: "hook_1", reason: "failing", failingSince: 1 },
      ...ofTeam,
    },
    {
      kind: "webhook-disabled",
      payload: { teamId: null, webhookId: "hook_1", reason: "gone", failingSince: null },
      ...ofAccount,
    },
  ],
  recovery: [{ kind: "recovery", payload: account, ...ofAccount, code }],
  "email-change": [
    { kind: "email-change", payload: { ...account, address: "old" }, ...ofAccount, code },
    { kind: "email-change", payload: { ...account, address: "new" }, ...ofAccount, code },
  ],
  "account-exists": [{ kind: "account-exists", payload: { teamId: null }, ...ofAccount }],
  "sign-up": [{ kind: "sign-up", payload: { teamId: null }, ...ofAccount, code }],
};

const decode = (text: string) =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

/** What a person reads: a line for each paragraph, and for each link its text and its address, as plain text has them. */
function readHtml(html: string): readonly string[] {
  return html
    .replace(/^[^]*<\/h1>/, "")
    .replaceAll(/<a\s+href="([^"]*)"[^>]*>([^<]*)<\/a\s*>/g, "\n$2:\n$1\n")
    .replaceAll(/<\/p\s*>|<br \/>|<\/main\s*>/g, "\n")
    .replaceAll(/<[^>]*>/g, "")
    .split("\n")
    .map((line) => decode(line).trim())
    .filter((line) => line !== "");
}

for (const [kind, mails] of Object.entries(MAILS)) {
  for (const [index, mail] of mails.entries()) {
    const { subject, text, html } = composeMessage(mail, BASE);
    const name = `${kind} ${index + 1}`;

    test(`${name}: plain text and HTML say the same`, () => {
      const plain = text.split("\n").filter((line) => line !== "" && line !== "--");
      assert.deepEqual(readHtml(html), plain);
      assert.ok(decode(html).includes(`<title>${subject}</title>`));
    });

    test(`${name}: nothing is loaded, run or sent, and each link leads to a page of this server`, () => {
      assert.doesNotMatch(html, /<(?:img|svg|script|link|iframe|form|input|button)\b|\bsrc=|url\(|@import|\son\w+=/i);
      const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, link = ""]) => link);
      assert.ok(links.length > 0);
      for (const link of links) assert.match(link, /^https:\/\/reeve\.example\/(?:console\/|mail\/stop\/)/);
    });

    test(`${name}: without its sheet it is laid out and readable, and its sheet has the dark`, () => {
      const [, sheet = ""] = /<style>([^<]*)<\/style>/.exec(html) ?? [];
      assert.match(sheet, /@media\(prefers-color-scheme:dark\)/);
      assert.doesNotMatch(sheet, /padding|margin|font|width|display/, "layout is in style attributes");
      const classes = new Set([...html.matchAll(/class="([^"]*)"/g)].map(([, one = ""]) => one));
      for (const one of classes) assert.ok(sheet.includes(`.${one}{`), one);
      assert.match(html, /class="button"\s+style="[^"]*background-color:#\w{6};color:#ffffff/);
    });
  }
}
