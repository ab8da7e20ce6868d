// The way to a provider and back. The way there is a form, because it stores something. The way back is the one page whose GET acts:
// OpenID Connect sends the browser there. It acts once, and only in the browser that went there.
import { ApiError } from "../../../platform/kernel/errors.ts";
import { html } from "../../../platform/kernel/text/html.ts";
import type { Html } from "../../../platform/kernel/text/html.ts";
import { requireFreshProof } from "../../../platform/kernel/giving.ts";
import type { ProviderPurpose, ProviderResult } from "../../providers/provider-sign-in.ts";
import { fieldOf } from "../form-body.ts";
import { nameOf, problemOf, returnPath, signedIn, withReturn } from "../page.ts";
import type { Page, PageResult, PageRequest } from "../page.ts";

type Provider = ReturnType<PageRequest["providers"]["get"]>;

/** The session of the visitor; null: nobody is signed in. */
function sessionOf({ caller }: PageRequest) {
  return caller?.account && caller.credentialId !== null
    ? { account: caller.account, sessionId: caller.credentialId }
    : null;
}

const isNewcomer = (request: PageRequest["request"]) => fieldOf(request, "newcomer") !== "";

const PURPOSES: Readonly<Record<string, (pageRequest: PageRequest) => ProviderPurpose>> = {
  invitation: ({ request }) => ({
    kind: "invitation",
    code: fieldOf(request, "code"),
    isNewcomer: isNewcomer(request),
  }),
  link(pageRequest) {
    requireFreshProof(signedIn(pageRequest), pageRequest.now);
    return {
      kind: "link",
      session: { account: signedIn(pageRequest).account, sessionId: pageRequest.caller?.credentialId ?? "" },
    };
  },
  proof: (pageRequest) => ({
    kind: "proof",
    session: { account: signedIn(pageRequest).account, sessionId: pageRequest.caller?.credentialId ?? "" },
  }),
};

/** Sends the browser on: by a header, because a form may not redirect to another host (form-action), and by a link. */
function leave(pageRequest: PageRequest, name: string, url: string, code: string): PageResult {
  const { cookies, providers } = pageRequest;
  return {
    title: `Continue at ${name}`,
    preposition: "from",
    content: html`<p>You sign in at ${name}, and come back here then.</p>
      <a class="button primary wide" href="${url}">Continue</a>`,
    refresh: url,
    cookies: [cookies.step(code, providers.stepMs)],
  };
}

/** What a refusal shows. It is a page of its own, because the form or the address that led here cannot be used again. */
function refused({ root }: PageRequest, name: string, error: unknown): PageResult {
  if (!(error instanceof ApiError) || error.code === "not_found") throw error;
  return {
    title: `Not signed in with ${name}`,
    content: html`<p><a href="${root}sign-in">Sign in</a></p>`,
    problem: { text: error.message },
    status: error.status,
  };
}

export const providerPage: Page = {
  path: "sign-in/:provider",
  summary: "Sign in with a provider",
  needsSession: false,

  show({ providers, param, query, refusal }) {
    const { name } = providers.get(param("provider"));
    const content = html`<form method="post">
      <input type="hidden" name="return" value="${returnPath(query("return"))}" />
      <button class="primary wide">Continue to ${name}</button>
    </form>`;
    return { title: `Sign in with ${name}`, preposition: "to", content, problem: problemOf({ refusal }) };
  },

  async submit(pageRequest) {
    const { providers, param, request } = pageRequest;
    const { id, name } = providers.get(param("provider"));
    const kind = fieldOf(request, "kind");
    const returnTo = returnPath(fieldOf(request, "return"));
    if ((kind === "link" || kind === "proof") && !pageRequest.caller)
      return { redirect: withReturn("sign-in", returnTo) };
    try {
      const purpose = PURPOSES[kind]?.(pageRequest) ?? { kind: "sign-in", isNewcomer: isNewcomer(request) };
      const { url, code } = await providers.begin(id, purpose, returnTo);
      return leave(pageRequest, name, url, code);
    } catch (error) {
      if (error instanceof ApiError && error.code === "proof_required")
        return { redirect: withReturn("prove", returnTo) };
      return refused(pageRequest, name, error);
    }
  },
};

const REASONS: Readonly<Record<Extract<ProviderResult, { kind: "no-account" }>["reason"], string>> = {
  "no-sign-up": "There is no account for you here yet. Ask somebody who is here for an invitation.",
  "address-unverified":
    "There is no account for you here, and the provider does not say that your e-mail address is yours. Confirm it there, or ask somebody who is here for an invitation.",
  "other-domain":
    "There is no account for you here, and addresses of your domain get none by themselves. Ask somebody who is here for an invitation.",
};

function describeNoAccount(
  { root }: PageRequest,
  name: string,
  { reason, email }: Extract<ProviderResult, { kind: "no-account" }>,
): PageResult {
  return {
    title: "No account here",
    content: html`<p>${REASONS[reason]}</p>
      <p class="quiet">You came from ${name}${email === null ? "" : ` as ${email}`}.</p>
      <p>
        You have an account? <a href="${root}sign-in">Sign in</a> as you do otherwise, and connect it with ${name} on
        the page of your account.
      </p>`,
    status: 403,
  };
}

type LinkRequired = Extract<ProviderResult, { kind: "link-required" }>;

/** A way past an account whose address nobody has confirmed: somebody else may have typed it in. */
function newcomerForm({ root }: PageRequest, { id, name }: Provider, { newcomer, returnTo }: LinkRequired): Html {
  if (newcomer === null) return html``;
  return html`<form method="post" action="${root}sign-in/${id}" class="panel" aria-labelledby="newcomer">
    <h2 id="newcomer">That account is not yours?</h2>
    <p>
      Nobody has confirmed its address, so somebody else may have typed it in. A new account gets the address, and the
      other one loses it.
    </p>
    <input type="hidden" name="kind" value="${newcomer.kind}" />
    <input type="hidden" name="return" value="${returnTo}" />
    ${newcomer.kind === "invitation" ? html`<input type="hidden" name="code" value="${newcomer.code}" />` : html``}
    <button class="wide" name="newcomer" value="1">Create a new account with ${name}</button>
  </form>`;
}

function describeLink(pageRequest: PageRequest, provider: Provider, result: LinkRequired) {
  const { root, caller } = pageRequest;
  const { email, returnTo } = result;
  const { name } = provider;
  const connect = withReturn("connect", returnTo);
  if (caller) return { redirect: connect };
  return {
    title: "You have an account here",
    content: html`<p>
        An account here has the address ${email ?? ""}, and is not connected with ${name} yet. Sign in once as you did
        until now; then ${name} signs you in, too.
      </p>
      <a class="button primary wide" href="${root}${withReturn("sign-in", connect)}">Sign in and connect</a>
      ${newcomerForm(pageRequest, provider, result)}`,
    foot: html`<a href="${root}recover">I can't sign in</a>`,
  };
}

function describe(pageRequest: PageRequest, provider: Provider, result: ProviderResult): PageResult {
  const { cookies } = pageRequest;
  switch (result.kind) {
    case "signed-in":
      return { redirect: result.returnTo, signedIn: result.cookies, cookies: [cookies.step("", 0)] };
    case "linked":
    case "proved":
      return { redirect: result.returnTo, cookies: [cookies.step("", 0)] };
    case "no-account":
      return { ...describeNoAccount(pageRequest, provider.name, result), cookies: [cookies.step("", 0)] };
    case "link-required":
      return {
        ...describeLink(pageRequest, provider, result),
        cookies: [cookies.step(result.code, pageRequest.providers.stepMs)],
      };
  }
}

export const providerCallbackPage: Page = {
  path: "sign-in/:provider/callback",
  summary: "Come back from a provider",
  needsSession: false,

  async show(pageRequest) {
    const { providers, param, request, cookies, client } = pageRequest;
    const provider = providers.get(param("provider"));
    const mark = request.url.indexOf("?");
    const query = mark < 0 ? "" : request.url.slice(mark + 1);
    const code = cookies.readStep(request.headers);
    try {
      const result = await providers.finish(provider.id, { code, query, session: sessionOf(pageRequest) }, client);
      return describe(pageRequest, provider, result);
    } catch (error) {
      return refused(pageRequest, provider.name, error);
    }
  },
};

export const connectPage: Page = {
  path: "connect",
  summary: "Connect an account at a provider",
  needsSession: true,

  async show(pageRequest) {
    const { providers, cookies, request, refusal } = pageRequest;
    const code = cookies.readStep(request.headers);
    const waiting = code === null ? undefined : await providers.findWaiting(code);
    const signedInAs = nameOf(signedIn(pageRequest));
    if (!waiting) {
      const content = html`<p>
        It took too long, or is done. <a href="account">Your account</a> shows what is connected.
      </p>`;
      return { title: "Nothing to connect", content, signedInAs, status: 404 };
    }
    const { providerName, email } = waiting;
    const content = html`<p>
        Anyone who signs in at ${providerName}${email === null ? "" : html` as <strong>${email}</strong>`} can then sign
        in to your account <strong>${signedIn(pageRequest).account.username}</strong>.
      </p>
      <form method="post"><button class="primary wide">Connect</button></form>
      <p class="hint">That is not you? <a href="./">Leave it</a>.</p>`;
    return { title: `Connect with ${providerName}`, content, problem: problemOf({ refusal }), signedInAs };
  },

  async submit(pageRequest) {
    const { providers, cookies, client, request, query } = pageRequest;
    const { account } = signedIn(pageRequest);
    requireFreshProof(signedIn(pageRequest), pageRequest.now);
    const code = cookies.readStep(request.headers) ?? "";
    await providers.linkWaiting(code, account, client);
    return { redirect: returnPath(query("return")), cookies: [cookies.step("", 0)] };
  },
};
