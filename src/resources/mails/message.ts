// Composes each kind of mail: short plain text, in which names that users have chosen are short too.
import type { FreshCode, MailContent } from "./outbox.ts";
import type { MailPayloads } from "./queue.ts";
import { plainName } from "./rules.ts";

export interface Message {
  readonly subject: string;
  readonly text: string;
  /** The page that stops further mail from the team; null for mail of no team. */
  readonly stopUrl: string | null;
}

type Content = Omit<Message, "stopUrl">;

function teamOf({
  teamName,
  teamSlug,
}: MailPayloads["access-request-confirmed" | "access-request" | "invite"]): string {
  const name = plainName(teamName);
  const slug = plainName(teamSlug);
  return name === slug || name === "" ? `the team ${slug}` : `the team "${name}" (${slug})`;
}

function codeNotes({ expiresAt }: FreshCode): string[] {
  const end = new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ");
  return [
    `The code works once, for an account with this e-mail address, until ${end} UTC.`,
    "If this message reached you more than once, only the code in the newest one works.",
  ];
}

function invitation(payload: MailPayloads["invite"], code: FreshCode | null, baseUrl: string): Content {
  const { teamId, role, inviterName } = payload;
  const team = teamOf(payload);
  const inviter = plainName(inviterName ?? "");
  const lead = inviter === "" ? `You are invited to ${team}` : `${inviter} invites you to ${team}`;
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
      ...(code ? [...codeNotes(code), ""] : []),
      "If you did not expect this, do nothing.",
    ].join("\n"),
  };
}

function accessRequest(payload: MailPayloads["access-request"], baseUrl: string): Content {
  const member = `${baseUrl}/v1/teams/${payload.teamId}/members/${payload.userId}`;
  const lead = `${plainName(payload.username)} asks to join ${teamOf(payload)}`;
  return {
    subject: lead,
    text: [
      `${lead}.`,
      "",
      "To confirm the request, choose a role and call:",
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

function confirmation(payload: MailPayloads["access-request-confirmed"]): Content {
  const lead = `You are a member of ${teamOf(payload)}`;
  return { subject: lead, text: `Your request to join was confirmed. ${lead} with the role ${payload.role}.` };
}

function webhookDisabled({ webhookId, reason }: MailPayloads["webhook-disabled"], baseUrl: string): Content {
  // Without its URL, which everyone who may create a webhook chooses.
  const lead = `The webhook ${webhookId} was disabled`;
  return {
    subject: lead,
    text: [
      reason === "gone"
        ? `${lead}: its receiver responded with 410, which says that it is gone.`
        : `${lead}: every delivery has failed for five days.`,
      "",
      "Events from now on are stored and can be replayed. To enable it again:",
      "",
      `  PATCH ${baseUrl}/v1/webhooks/${webhookId}`,
      `  {"active":true}`,
      "",
      "To replay the deliveries that it missed:",
      "",
      `  POST ${baseUrl}/v1/webhooks/${webhookId}/replay`,
      `  {"states":["skipped"]}`,
    ].join("\n"),
  };
}

function composeContent(mail: MailContent, baseUrl: string): Content {
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

/** `baseUrl` precedes paths: it is the URL at which clients reach this instance, or empty. */
export function composeMessage(mail: MailContent, baseUrl: string): Message {
  const { subject, text } = composeContent(mail, baseUrl);
  if (mail.stopToken === null) return { subject, text, stopUrl: null };
  const stopUrl = `${baseUrl}/mail/stop/${mail.stopToken}`;
  const footer = ["", "--", "To get no more mail from this team, with or without an account:", stopUrl];
  return { subject, text: [text, ...footer].join("\n"), stopUrl };
}
