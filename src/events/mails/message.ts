// Composes each kind of mail. Names that users have chosen are short in it.
import { roleName } from "../../platform/kernel/roles.ts";
import { renderHtml, renderText, instanceName } from "./letter.ts";
import type { Letter } from "./letter.ts";
import type { FreshCode, MailContent } from "./outbox.ts";
import type { MailPayloads } from "./queue.ts";
import { plainName } from "./rules.ts";

export interface Message {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The page that stops further mail from the team; null for mail of no team. */
  readonly stopUrl: string | null;
}

/** The console of a team; of one's own account without one. */
function consolePath(teamId: string | null): string {
  return teamId === null ? "/console/" : `/console/?team=${teamId}`;
}

function codePath(page: string, code: FreshCode | null): string {
  return `/console/${page}?code=${code?.code ?? ""}`;
}

function formatEnd(expiresAt: number): string {
  const end = new Date(expiresAt);
  const day = end.toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
  return `${day}, ${end.toISOString().slice(11, 16)} UTC`;
}

/** Until when a link works that carries a code. */
function codeNotes(code: FreshCode | null): string[] {
  const until = code ? `The link works once, until ${formatEnd(code.expiresAt)}. ` : "";
  return [`${until}If this mail reached you more than once, only the link in the newest one works.`];
}

function teamOf({
  teamName,
  teamSlug,
}: MailPayloads["access-request-confirmed" | "access-request" | "invite"]): string {
  const name = plainName(teamName);
  const slug = plainName(teamSlug);
  return name === slug || name === "" ? `the team ${slug}` : `the team "${name}" (${slug})`;
}

function invitation(payload: MailPayloads["invite"], code: FreshCode | null): Letter {
  const { teamId, inviteId, role, inviterName, expiresAt } = payload;
  const team = teamOf(payload);
  const inviter = plainName(inviterName ?? "");
  const subject = inviter === "" ? `You are invited to ${team}` : `${inviter} invites you to ${team}`;
  const forAddress = inviteId !== null;
  const until = expiresAt === undefined ? [] : [`The invitation ends on ${formatEnd(expiresAt)}.`];
  return {
    subject,
    heading: `Join ${team}`,
    paragraphs: [
      `${subject} with the role ${roleName(role)}.`,
      forAddress
        ? "You need no account yet: the link makes one for this e-mail address, or takes the one that has it."
        : "Sign in with your account to accept.",
    ],
    action: {
      label: "Join the team",
      path: forAddress ? codePath("invitation", code) : `/console/invitation?team=${teamId}`,
    },
    notes: [
      ...(forAddress ? codeNotes(code) : until),
      `If you know neither the sender nor the team, do nothing: ${forAddress ? "you join no team, and no account is made" : "you join no team"}.`,
    ],
  };
}

function accessRequest(payload: MailPayloads["access-request"]): Letter {
  const subject = `${plainName(payload.username)} asks to join ${teamOf(payload)}`;
  return {
    subject,
    heading: "Somebody asks to join your team",
    paragraphs: [
      `${subject}.`,
      "They become a member when an owner of the team confirms the request, with a role that the owner chooses.",
    ],
    action: { label: "Open the team", path: consolePath(payload.teamId) },
    notes: [
      "If you do not know them, decline the request, or do nothing: without a decision they see nothing of the team.",
    ],
  };
}

function confirmation(payload: MailPayloads["access-request-confirmed"]): Letter {
  const subject = `You are a member of ${teamOf(payload)}`;
  return {
    subject,
    heading: "You are in",
    paragraphs: [`Your request to join was confirmed. ${subject} with the role ${roleName(payload.role)}.`],
    action: { label: "Open the team", path: consolePath(payload.teamId) },
    notes: ["If you did not ask to join, open the team and leave it."],
  };
}

function webhookDisabled({ teamId, webhookId, reason }: MailPayloads["webhook-disabled"]): Letter {
  // Without its URL, which everyone who may create a webhook chooses.
  const subject = `The webhook ${webhookId} was disabled`;
  return {
    subject,
    heading: "A webhook was disabled",
    paragraphs: [
      reason === "gone"
        ? `${subject}: its receiver responded with 410, which says that it is gone.`
        : `${subject}: every delivery has failed for five days.`,
      "Events from now on are stored. When its receiver works again, enable the webhook, and replay the deliveries that it missed.",
    ],
    action: { label: teamId === null ? "Open your account" : "Open the team", path: consolePath(teamId) },
    notes: ["If nobody needs the webhook any more, delete it."],
  };
}

function recovery({ username }: MailPayloads["recovery"], code: FreshCode | null, baseUrl: string): Letter {
  return {
    subject: "Your link to sign in",
    heading: "Sign in with this link",
    paragraphs: [
      `Somebody, probably you, can't sign in to the account ${plainName(username)} of ${instanceName(baseUrl)} and asked for a link.`,
      "It signs in to the account, and lets you choose another way to sign in.",
    ],
    action: { label: "Sign in", path: codePath("recover", code) },
    notes: [
      ...codeNotes(code),
      "If you did not ask for it, do nothing: nothing has changed. Give the link to nobody: a person who has it has your account.",
    ],
  };
}

function emailChange(
  { username, address }: MailPayloads["email-change"],
  code: FreshCode | null,
  baseUrl: string,
): Letter {
  const account = `the account ${plainName(username)} of ${instanceName(baseUrl)}`;
  const [paragraph, stranger] = {
    old: [
      `Somebody who is signed in to ${account} wants to change its e-mail address, which is this one. The change needs your word from here, and from the new address.`,
      "If it was not you, do not confirm. Somebody else is signed in to your account: sign in, end all other sessions, and change how you sign in.",
    ],
    new: [
      `Somebody wants ${account} to have this e-mail address. The change needs your word from here, and from the old address.`,
      "If it was not you, do nothing: the account keeps its old address.",
    ],
  }[address] as [string, string];
  return {
    subject: address === "old" ? "Confirm that your e-mail address changes" : "Confirm your new e-mail address",
    heading: address === "old" ? "Your e-mail address is about to change" : "Is this your new e-mail address?",
    paragraphs: [paragraph],
    action: { label: "Review the change", path: codePath("confirm-email", code) },
    notes: [...codeNotes(code), stranger],
  };
}

function signUp(code: FreshCode | null, baseUrl: string): Letter {
  return {
    subject: "Confirm your e-mail address",
    heading: "Is this your e-mail address?",
    paragraphs: [`Somebody, probably you, wants an account of ${instanceName(baseUrl)} with this e-mail address.`],
    action: { label: "Create the account", path: codePath("sign-up", code) },
    notes: [...codeNotes(code), "If it was not you, do nothing: without this link no account is made."],
  };
}

function accountExists(baseUrl: string): Letter {
  return {
    subject: "You have an account already",
    heading: "You have an account already",
    paragraphs: [
      `Somebody, probably you, wants an account of ${instanceName(baseUrl)} with this e-mail address, which has one.`,
      "Sign in with the address; the page helps if you have forgotten how.",
    ],
    action: { label: "Sign in", path: "/console/sign-in" },
    notes: ["If it was not you, do nothing: nothing has changed."],
  };
}

function composeLetter(mail: MailContent, baseUrl: string): Letter {
  switch (mail.kind) {
    case "invite":
      return invitation(mail.payload, mail.code);
    case "access-request":
      return accessRequest(mail.payload);
    case "access-request-confirmed":
      return confirmation(mail.payload);
    case "webhook-disabled":
      return webhookDisabled(mail.payload);
    case "recovery":
      return recovery(mail.payload, mail.code, baseUrl);
    case "email-change":
      return emailChange(mail.payload, mail.code, baseUrl);
    case "sign-up":
      return signUp(mail.code, baseUrl);
    case "account-exists":
      return accountExists(baseUrl);
  }
}

/** `baseUrl` precedes paths: it is the URL at which clients reach this instance, or empty. */
export function composeMessage(mail: MailContent, baseUrl: string): Message {
  const letter = composeLetter(mail, baseUrl);
  const stopPath = mail.stopToken === null ? null : `/mail/stop/${mail.stopToken}`;
  const sender = { baseUrl, stopPath };
  return {
    subject: letter.subject,
    text: renderText(letter, sender),
    html: renderHtml(letter, sender),
    stopUrl: stopPath === null ? null : `${baseUrl}${stopPath}`,
  };
}
