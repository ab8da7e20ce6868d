// Approving a program that asks for access: the person types or compares the code that the program shows, sees who asks from where,
// and chooses what it may do and until when. A code in the address is only filled in, because somebody else may have sent the link
// (RFC 8628, section 5.4).
import type { WaitingDevice } from "../../sign-in/oauth/device-approval.ts";
import { html } from "../../kernel/text/html.ts";
import type { Html } from "../../kernel/text/html.ts";
import { fieldOf, textOf } from "./form-body.ts";
import { formatTime } from "./format-time.ts";
import { nameOf, signedIn, withReturn } from "./page.ts";
import type { Page, PageResult, Visit } from "./page.ts";

interface ListedTeam {
  readonly id: string;
  readonly slug: string;
  readonly name: string | null;
}

const MOST_TEAMS = 100;
const NEVER = "never";

/** The page with a code filled in. */
function pathOf(userCode: string): string {
  return userCode === "" ? "device" : `device?user_code=${encodeURIComponent(userCode)}`;
}

function codeForm(userCode: string): Html {
  const explanation =
    userCode === ""
      ? html`<p>Type the code that the program shows.</p>`
      : html`<p>Compare: does the program on your screen show this code?</p>`;
  return html`${explanation}
    <form method="post" class="panel">
      <label for="user_code">Code</label>
      <input
        id="user_code"
        name="user_code"
        class="large"
        value="${userCode}"
        autocomplete="off"
        autocapitalize="characters"
        spellcheck="false"
        maxlength="20"
        required
        autofocus
      />
      <button class="wide" name="action" value="find">Continue</button>
    </form>
    <p class="quiet">
      Somebody sent you this link or this code? Then close the page: they want to get into your account.
    </p>`;
}

function describe(device: WaitingDevice): Html {
  const { userCode, clientName, deviceName, ip, isFromElsewhere, requestedAt } = device;
  const says =
    deviceName === null
      ? html``
      : html`<dt>Runs on</dt>
          <dd>${deviceName} <span class="quiet">(as it says itself)</span></dd>`;
  const elsewhere = isFromElsewhere ? html` <strong>which is not the address of this browser</strong>` : html``;
  return html`<p class="code large">${userCode}</p>
    <dl>
      <dt>Program</dt>
      <dd>${clientName}</dd>
      ${says}
      <dt>Asks from</dt>
      <dd>${ip}${elsewhere}</dd>
      <dt>Since</dt>
      <dd>${formatTime(requestedAt)}</dd>
    </dl>`;
}

function teamOption({ id, slug, name }: ListedTeam): Html {
  return html`<option value="${id}">Only the team ${name ?? slug}</option>`;
}

async function scopeField(visit: Visit): Promise<Html> {
  const found = await visit.runOperation(visit.request, signedIn(visit), "listTeams", { query: { limit: MOST_TEAMS } });
  const { teams } = found as { readonly teams: readonly ListedTeam[] };
  return html`<label for="team">What it may do</label>
    <select id="team" name="team">
      <option value="">Everything that you may do</option>
      ${teams.map(teamOption)}
    </select>`;
}

function lifetimeField({ oauth: { devices } }: Visit): Html {
  const options = devices.lifetimesDays.map((days) => {
    const selected = days === devices.defaultLifetimeDays ? html` selected` : html``;
    const label = days === null ? "Until it is revoked" : `${days} ${days === 1 ? "day" : "days"}`;
    return html`<option value="${days ?? NEVER}" ${selected}>${label}</option>`;
  });
  return html`<label for="lifetime">For how long</label>
    <select id="lifetime" name="lifetime">
      ${options}
    </select>`;
}

async function showDevice(visit: Visit): Promise<PageResult> {
  const caller = signedIn(visit);
  const device = await visit.oauth.devices.find(textOf(visit.request, "user_code"), { caller, ...visit.client });
  const content = html`<form method="post" action="${pathOf(device.userCode)}" class="panel">
      ${describe(device)}
      <input type="hidden" name="user_code" value="${device.userCode}" />
      ${await scopeField(visit)} ${lifetimeField(visit)}
      <p class="hint">Approve only what you started yourself a moment ago, with this very code on its screen.</p>
      <button name="action" value="approve">Approve as ${nameOf(caller)}</button>
      <button class="danger" name="action" value="refuse">Refuse</button>
    </form>
    <p class="quiet">You find and end it later among your <a href="account">access tokens</a>.</p>`;
  return { title: `Let ${device.clientName} in?`, content, signedInAs: nameOf(caller) };
}

function lifetimeOf(text: string): number | null {
  return text === NEVER ? null : Number(text);
}

async function decide(visit: Visit, isApproved: boolean): Promise<PageResult> {
  const { request, oauth, client } = visit;
  const caller = signedIn(visit);
  const choice = isApproved
    ? { teamId: fieldOf(request, "team") || null, lifetimeDays: lifetimeOf(fieldOf(request, "lifetime")) }
    : null;
  const device = await oauth.devices.decide(textOf(request, "user_code"), choice, { caller, ...client });
  const signedInAs = nameOf(caller);
  if (!isApproved) {
    const content = html`<p>${device.clientName} gets no access.</p>`;
    return { title: "Refused", content, signedInAs };
  }
  const content = html`<p>Go back to the program: it goes on by itself within a few seconds.</p>`;
  return { title: `${device.clientName} is approved`, content, signedInAs };
}

export const devicePage: Page = {
  path: "device",
  summary: "Approve a program that asks for access",
  needsSession: true,

  show(visit) {
    const caller = signedIn(visit);
    const userCode = (textOf(visit.request, "user_code") || visit.query("user_code")).slice(0, 20);
    if (visit.oauth.devices.needsProof(caller)) return { redirect: withReturn("prove", pathOf(userCode)) };
    const problem = visit.refusal?.message ?? null;
    return { title: "Let a program in", content: codeForm(userCode), problem, signedInAs: nameOf(caller) };
  },

  async submit(visit) {
    const action = fieldOf(visit.request, "action");
    if (action === "approve" || action === "refuse") return await decide(visit, action === "approve");
    return await showDevice(visit);
  },
};
