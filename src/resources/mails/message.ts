// What each kind of mail says: short plain text. Names are chosen by users, so none may start a line of its own.
import type { FreshCode, MailContent } from "./outbox.ts";
import type { MailPayloads } from "./queue.ts";

export interface Message {
  readonly subject: string;
  readonly text: string;
}

/** A name as part of a line: without line breaks, other control characters, and marks that turn the direction. */
function inline(name: string): string {
  return name.replace(/[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu, " ").trim();
}

function named({ teamName, teamSlug }: MailPayloads["access-request-confirmed" | "access-request" | "invite"]): string {
  const name = inline(teamName);
  return name === teamSlug ? `the team ${teamSlug}` : `the team "${name}" (${teamSlug})`;
}

function aboutCode({ expiresAt }: FreshCode): string[] {
  const end = new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ");
  return [
    `The code works once, for an account with this e-mail address, until ${end} UTC.`,
    "If this message reached you more than once, only the code in the newest one works.",
  ];
}

function invitation(payload: MailPayloads["invite"], code: FreshCode | null, baseUrl: string): Message {
  const { teamId, role, inviterName } = payload;
  const team = named(payload);
  const lead = inviterName === null ? `You are invited to ${team}` : `${inline(inviterName)} invites you to ${team}`;
  const body = code ? { inviteCode: code.code } : { teamId };
  return {
    subject: lead,
    text: [
      `${lead} with the role ${role}.`,
      "",
      "To accept, call this with your own access token:",
      "",
      `  POST ${baseUrl}/v1/teams/join`,
      `  ${JSON.stringify(body)}`,
      "",
      ...(code ? [...aboutCode(code), ""] : []),
      "If you did not expect this, do nothing.",
    ].join("\n"),
  };
}

function accessRequest(payload: MailPayloads["access-request"], baseUrl: string): Message {
  const member = `${baseUrl}/v1/teams/${payload.teamId}/members/${payload.userId}`;
  const lead = `${inline(payload.username)} asks to join ${named(payload)}`;
  return {
    subject: lead,
    text: [
      `${lead}. Their e-mail address is ${inline(payload.email)}.`,
      "",
      "To let them in, choose a role and call:",
      "",
      `  PATCH ${member}`,
      `  {"confirmed":true,"role":"MEMBER"}`,
      "",
      "To decline:",
      "",
      `  DELETE ${member}`,
    ].join("\n"),
  };
}

function confirmation(payload: MailPayloads["access-request-confirmed"]): Message {
  const lead = `You are a member of ${named(payload)}`;
  return { subject: lead, text: `Your request to join was confirmed. ${lead} with the role ${payload.role}.` };
}

function webhookDisabled({ webhookId, url, reason }: MailPayloads["webhook-disabled"], baseUrl: string): Message {
  // Paths and queries of webhooks are often credentials.
  const lead = `The webhook to ${inline(new URL(url).origin)} was switched off`;
  return {
    subject: lead,
    text: [
      reason === "gone"
        ? `${lead}: its receiver answered 410, which says that it is gone.`
        : `${lead}: every delivery has failed for five days.`,
      "",
      "What happens from now on is kept and can be replayed. To switch it on again:",
      "",
      `  PATCH ${baseUrl}/v1/webhooks/${webhookId}`,
      `  {"active":true}`,
      "",
      "To have it sent what it missed:",
      "",
      `  POST ${baseUrl}/v1/webhooks/${webhookId}/replay`,
      `  {"states":["skipped"]}`,
    ].join("\n"),
  };
}

/** `baseUrl` comes before paths: the URL under which clients reach this instance, or nothing. */
export function composeMessage(mail: MailContent, baseUrl: string): Message {
  switch (mail.kind) {
    case "invite":
      return invitation(mail.payload, mail.code, baseUrl);
    case "access-request":
      return accessRequest(mail.payload, baseUrl);
    case "access-request-confirmed":
      return confirmation(mail.payload);
    case "webhook-disabled":
      return webhookDisabled(mail.payload, baseUrl);
  }
}
