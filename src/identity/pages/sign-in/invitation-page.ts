// Accepting an invitation: with the account that one is signed in to, or with a new one that is made for it.
import { roleName } from "../../../platform/kernel/roles.ts";
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import { fieldOf } from "../form-body.ts";
import { PASSKEYS } from "./method-fields.ts";
import { newAccountFields, newAccountOf } from "./new-account-fields.ts";
import { formatTime } from "../format-time.ts";
import { nameOf, problemOf, signedIn, withReturn } from "../page.ts";
import { providerButtons } from "./provider-buttons.ts";
import type { Page, PageResult, PageRequest } from "../page.ts";

type Invitation = NonNullable<Awaited<ReturnType<PageRequest["signIn"]["previewInvitation"]>>>;

function deadInvitation({ caller }: PageRequest): PageResult {
  return {
    title: "This invitation no longer works",
    content: html`<p>It has expired, was used, was withdrawn, or was replaced by a newer one.</p>
      <p>
        Ask the person who invited you for another one${caller ? html`` : html`, or <a href="sign-in">sign in</a>`}.
      </p>`,
    signedInAs: caller && nameOf(caller),
    status: 404,
  };
}

function describe({ teamName, teamSlug, role, inviterName, email, expiresAt }: Invitation): Html {
  return html`<dl>
    <dt>Team</dt>
    <dd><strong>${teamName}</strong>${teamName === teamSlug ? html`` : html` <code>${teamSlug}</code>`}</dd>
    ${
      inviterName === null
        ? html``
        : html`<dt>Invited by</dt>
            <dd>${inviterName}</dd>`
    }
    ${
      role === null
        ? html``
        : html`<dt>Role</dt>
            <dd>${roleName(role)}</dd>`
    }
    ${
      email === null
        ? html``
        : html`<dt>For</dt>
            <dd>${email}</dd>`
    }
    ${
      expiresAt === null
        ? html``
        : html`<dt>Until</dt>
            <dd>${formatTime(expiresAt)}</dd>`
    }
  </dl>`;
}

const UNKNOWN_SENDER = html`<p>You know neither the team nor the sender? Close this page: nothing happens.</p>`;

function showToMember(pageRequest: PageRequest, invitation: Invitation): PageResult {
  const caller = signedIn(pageRequest);
  const content = html`${describe(invitation)}
    <form method="post">
      <button class="primary wide" name="action" value="accept">Join as ${nameOf(caller)}</button>
    </form>`;
  return {
    title: `Join ${invitation.teamName}`,
    content,
    footer: UNKNOWN_SENDER,
    problem: problemOf(pageRequest),
    signedInAs: nameOf(caller),
  };
}

/** For people without an account: the invitation is of this address. */
function newAccountForm(pageRequest: PageRequest, email: string, returnTo: string): Html {
  return html`<form method="post" class="panel" aria-labelledby="new-account">
      <h2 id="new-account">Create your account</h2>
      <input type="hidden" name="action" value="create" />
      ${newAccountFields(pageRequest, email, "Create account and join")}
    </form>
    ${providerButtons(pageRequest.providers.list, {
      kind: "invitation",
      returnTo,
      code: pageRequest.query("code"),
      label: (name) => `Continue with ${name}`,
    })}`;
}

function showToStranger(pageRequest: PageRequest, invitation: Invitation): PageResult {
  const { email, teamName } = invitation;
  const own = `invitation?code=${encodeURIComponent(pageRequest.query("code"))}`;
  const signInPath = withReturn("sign-in", own);
  const shown = { title: `Join ${teamName}`, problem: problemOf(pageRequest), footer: UNKNOWN_SENDER };
  if (email !== null) {
    return {
      ...shown,
      content: html`${describe(invitation)} ${newAccountForm(pageRequest, email, own)}`,
      foot: html`<span>You have an account?</span> <a href="${signInPath}">Sign in to join</a>`,
      script: PASSKEYS,
    };
  }
  const content = html`${describe(invitation)}
    <a class="button primary wide" href="${signInPath}">Sign in to join</a>
    <p class="hint">
      This link is for people who have an account here. If you have none, ask for an invitation of your e-mail address.
    </p>`;
  return { ...shown, content };
}

const ACTIONS: Readonly<Record<string, (pageRequest: PageRequest) => Promise<PageResult>>> = {
  async accept(pageRequest) {
    const team = pageRequest.query("team");
    const body = team === "" ? { inviteCode: pageRequest.query("code") } : { teamId: team };
    await pageRequest.runOperation(pageRequest.request, signedIn(pageRequest), "joinTeam", { body });
    return { redirect: "./" };
  },
  async create(pageRequest) {
    const { query, signIn, client } = pageRequest;
    const opened = await signIn.withInvitation({ code: query("code"), ...newAccountOf(pageRequest) }, client);
    return { redirect: "./", signedIn: opened };
  },
};

/** An account that was invited by its id or its address needs no code, and must be signed in. */
async function showWithoutCode(pageRequest: PageRequest, team: string): Promise<PageResult> {
  if (!pageRequest.caller) return { redirect: withReturn("sign-in", `invitation?team=${encodeURIComponent(team)}`) };
  const invitation = await pageRequest.signIn.previewOwnInvitation(pageRequest.caller, team);
  return invitation ? showToMember(pageRequest, invitation) : deadInvitation(pageRequest);
}

export const invitationPage: Page = {
  path: "invitation",
  summary: "Accept an invitation",
  needsSession: false,

  async show(pageRequest) {
    const team = pageRequest.query("team");
    if (team !== "") return await showWithoutCode(pageRequest, team);
    const invitation = await pageRequest.signIn.previewInvitation(pageRequest.query("code"));
    if (!invitation) return deadInvitation(pageRequest);
    return pageRequest.caller ? showToMember(pageRequest, invitation) : showToStranger(pageRequest, invitation);
  },

  async submit(pageRequest) {
    const act = ACTIONS[fieldOf(pageRequest.request, "action")];
    return act ? await act(pageRequest) : { redirect: "./" };
  },
};
