// What the pages on which people approve programs have in common: who asks, and what may be chosen.
import type { WaitingProgram } from "../../oauth-server/approvals.ts";
import { ICONS } from "../../../platform/http/card-page.ts";
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import { fieldOf } from "../form-body.ts";
import { formatTime } from "../format-time.ts";
import { nameOf, signedIn } from "../page.ts";
import type { PageResult, PageRequest } from "../page.ts";

interface ListedTeam {
  readonly id: string;
  readonly slug: string;
  readonly name: string | null;
}

/** What the form sends. */
export type ApprovalChoice = { readonly teamId: string | null; readonly lifetimeDays: number | null };

const MOST_TEAMS = 100;
const NEVER = "never";

export function describeProgram(program: WaitingProgram): Html {
  const { clientName, deviceName, ip, isFromElsewhere, requestedAt, redirectUri } = program;
  const says =
    deviceName === null
      ? html``
      : html`<dt>Runs on</dt>
          <dd>${deviceName} <span class="quiet">as it says itself</span></dd>`;
  const elsewhere = isFromElsewhere
    ? html`<p class="warning banner">
        ${ICONS.warning}<span
          ><strong>This is not the address of this browser.</strong> Did somebody send you the link or the code? Then
          refuse: they want to get into your account.</span
        >
      </p>`
    : html``;
  const answer =
    redirectUri === null
      ? html``
      : html`<dt>Gets its answer at</dt>
          <dd>${redirectUri}</dd>`;
  return html`<dl>
      <dt>Program</dt>
      <dd>${clientName}</dd>
      ${says}
      <dt>Asks from</dt>
      <dd><code>${ip}</code></dd>
      <dt>Since</dt>
      <dd>${formatTime(requestedAt)}</dd>
      ${answer}
    </dl>
    ${elsewhere}`;
}

function teamOption({ id, slug, name }: ListedTeam): Html {
  return html`<option value="${id}">Only ${name ?? slug}</option>`;
}

async function scopeField(pageRequest: PageRequest): Promise<Html> {
  const found = await pageRequest.runOperation(pageRequest.request, signedIn(pageRequest), "listTeams", {
    query: { limit: MOST_TEAMS },
  });
  const { teams } = found as { readonly teams: readonly ListedTeam[] };
  return html`<div class="field">
    <label for="team">What it may do</label>
    <select id="team" name="team">
      <option value="">Everything you may do</option>
      ${teams.map(teamOption)}
    </select>
  </div>`;
}

function lifetimeField({ lifetimesDays, defaultLifetimeDays }: PageRequest["oauth"]["approvals"]): Html {
  const options = lifetimesDays.map((days) => {
    const selected = days === defaultLifetimeDays ? html` selected` : html``;
    const label = days === null ? "Until it is revoked" : `${days} ${days === 1 ? "day" : "days"}`;
    return html`<option value="${days ?? NEVER}" ${selected}>${label}</option>`;
  });
  return html`<div class="field">
    <label for="lifetime">For how long</label>
    <select id="lifetime" name="lifetime">
      ${options}
    </select>
  </div>`;
}

/** The fields and the buttons, for the inside of a form. */
export async function approvalFields(pageRequest: PageRequest, advice: string): Promise<Html> {
  return html`<div class="pair">${await scopeField(pageRequest)} ${lifetimeField(pageRequest.oauth.approvals)}</div>
    <p class="hint">${advice}</p>
    <div class="row">
      <button name="action" value="refuse">Refuse</button>
      <button class="primary" name="action" value="approve">Approve as ${nameOf(signedIn(pageRequest))}</button>
    </div>`;
}

/** What was chosen; null: the request was refused. */
export function readChoice({ request }: PageRequest): ApprovalChoice | null {
  if (fieldOf(request, "action") !== "approve") return null;
  const lifetime = fieldOf(request, "lifetime");
  return { teamId: fieldOf(request, "team") || null, lifetimeDays: lifetime === NEVER ? null : Number(lifetime) };
}

/** The page after the decision. */
export function decided(
  pageRequest: PageRequest,
  { clientName }: WaitingProgram,
  isApproved: boolean,
  next: Html,
): PageResult {
  const subject = clientName.replace(/^./u, (letter) => letter.toUpperCase());
  const outcome = isApproved ? html`<strong>${subject}</strong> has access now.` : html`It gets no access.`;
  const content = html`<p>${outcome}</p>
    ${next}`;
  return { title: isApproved ? "Approved" : "Refused", content, signedInAs: nameOf(signedIn(pageRequest)) };
}
