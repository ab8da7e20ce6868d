// Approving a program by the code that it shows: the person types or compares the code, sees who asks from where, and decides. A code
// in the address is only filled in, because somebody else may have sent the link (RFC 8628, section 5.4).
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import { hasFreshProof } from "../../../platform/kernel/giving.ts";
import { approvalFields, decided, describeProgram, readChoice } from "./approval-form.ts";
import { fieldOf, textOf } from "../form-body.ts";
import { nameOf, problemOf, signedIn, withReturn } from "../page.ts";
import type { Page, PageResult, PageRequest } from "../page.ts";
import { textField } from "../text-field.ts";
import type { Problem } from "../text-field.ts";

/** The page with a code filled in. */
function pathOf(userCode: string): string {
  return userCode === "" ? "device" : `device?user_code=${encodeURIComponent(userCode)}`;
}

/** In two groups, as programs show it. */
function formatUserCode(text: string): string {
  const letters = text.toUpperCase().replaceAll(/[^A-Z]/g, "");
  return letters.length <= 4 ? letters : `${letters.slice(0, 4)}-${letters.slice(4, 8)}`;
}

function codeForm(userCode: string, problem: Problem | null): Html {
  const explanation =
    userCode === ""
      ? html`<p>Type the code that the program shows.</p>`
      : html`<p>Compare: does the program on your screen show this code?</p>`;
  return html`${explanation}
    <form method="post">
      ${textField(problem, {
        name: "user_code",
        label: "Code",
        value: userCode,
        attributes: html`class="large" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="20"
        required`,
        isFirst: true,
      })}
      <button class="primary wide" name="action" value="find">Continue</button>
    </form>`;
}

const SENT_BY_OTHERS = html`<p>
  Somebody sent you this link or this code? Then close the page: they want to get into your account.
</p>`;

async function showDevice(pageRequest: PageRequest, userCode: string): Promise<PageResult> {
  const caller = signedIn(pageRequest);
  const program = await pageRequest.oauth.approvals.devices.find(userCode, { caller, ...pageRequest.client });
  const advice = "Approve only what you started yourself a moment ago, with this very code on its screen.";
  const content = html`<form method="post" action="${pathOf(userCode)}">
    <p class="large">${userCode}</p>
    ${describeProgram(program)}
    <input type="hidden" name="user_code" value="${userCode}" />
    ${await approvalFields(pageRequest, advice)}
  </form>`;
  return { title: `Give access to ${program.clientName}?`, width: "medium", content, signedInAs: nameOf(caller) };
}

export const devicePage: Page = {
  path: "device",
  summary: "Approve a program by the code that it shows",
  needsSession: true,

  show(pageRequest) {
    const caller = signedIn(pageRequest);
    const userCode = formatUserCode(textOf(pageRequest.request, "user_code") || pageRequest.query("user_code"));
    if (!hasFreshProof(caller, pageRequest.now)) return { redirect: withReturn("prove", pathOf(userCode)) };
    const problem = problemOf(pageRequest, "user_code");
    return {
      title: "Give a program access",
      content: codeForm(userCode, problem),
      footer: SENT_BY_OTHERS,
      problem,
      signedInAs: nameOf(caller),
    };
  },

  async submit(pageRequest) {
    const userCode = formatUserCode(textOf(pageRequest.request, "user_code"));
    if (fieldOf(pageRequest.request, "action") === "find") return await showDevice(pageRequest, userCode);
    const choice = readChoice(pageRequest);
    const approver = { caller: signedIn(pageRequest), ...pageRequest.client };
    const program = await pageRequest.oauth.approvals.devices.decide(userCode, choice, approver);
    const next = html`<p>
      Go back to the program: it goes on by itself within a few seconds. You can end its access among your
      <a href="tokens">access tokens</a>.
    </p>`;
    return decided(pageRequest, program, choice !== null, next);
  },
};
