// Approving a program that has opened this browser. The request is bound to the browser by a cookie: a link that somebody sent is none.
import { parseCookie } from "cookie";
import { html } from "../../../platform/kernel/text/html.ts";
import { hasFreshProof } from "../../../platform/kernel/giving.ts";
import { approvalFields, decided, describeProgram, readChoice } from "./approval-form.ts";
import { nameOf, problemOf, signedIn, withReturn } from "../page.ts";
import type { Page, PageResult, PageRequest } from "../page.ts";

/** Of src/identity/oauth-server/metadata.ts. */
const COOKIE = "reeve-oauth";

function pathOf(request: string): string {
  return `authorize?request=${encodeURIComponent(request)}`;
}

/** The request that this browser was opened for; null: it was opened for none, or for another one. */
function requestOf({ query, request }: PageRequest): string | null {
  const asked = query("request");
  const held = parseCookie(request.headers.cookie ?? "")[COOKIE];
  return asked !== "" && held === asked ? asked : null;
}

function unknown(pageRequest: PageRequest): PageResult {
  const content = html`<p>The program asks in another browser, or its request has expired. Start it again.</p>`;
  return { title: "Nothing to approve", content, signedInAs: nameOf(signedIn(pageRequest)), status: 404 };
}

export const authorizePage: Page = {
  path: "authorize",
  summary: "Approve a program that has opened this browser",
  needsSession: true,

  async show(pageRequest) {
    const request = requestOf(pageRequest);
    if (request === null || pageRequest.refusal?.code === "device_code_unknown") return unknown(pageRequest);
    const caller = signedIn(pageRequest);
    if (!hasFreshProof(caller, pageRequest.now)) return { redirect: withReturn("prove", pathOf(request)) };
    const program = await pageRequest.oauth.approvals.interactions.find(request, { caller, ...pageRequest.client });
    const advice = "Approve only what you started yourself a moment ago.";
    const content = html`<form method="post">
      ${describeProgram(program)} ${await approvalFields(pageRequest, advice)}
    </form>`;
    const problem = problemOf(pageRequest);
    return {
      title: `Give access to ${program.clientName}?`,
      width: "medium",
      content,
      problem,
      signedInAs: nameOf(caller),
    };
  },

  async submit(pageRequest) {
    const request = requestOf(pageRequest);
    if (request === null) return unknown(pageRequest);
    const choice = readChoice(pageRequest);
    const approver = { caller: signedIn(pageRequest), ...pageRequest.client };
    const program = await pageRequest.oauth.approvals.interactions.decide(request, choice, approver);
    // A link, because the policy of these pages lets no form lead to another origin.
    const next = html`<a class="button primary wide" href="../oauth/authorize/${request}" autofocus
      >Back to the program</a
    >`;
    return decided(pageRequest, program, choice !== null, next);
  },
};
