// A page without script: what GET shows and what POST does. GET changes nothing, because mail scanners open every link.
import type { FastifyRequest } from "fastify";
import type { Caller } from "../../platform/kernel/caller.ts";
import { shownField } from "../../platform/kernel/errors.ts";
import type { ApiError } from "../../platform/kernel/errors.ts";
import type { OAuth } from "../oauth-server/oauth.ts";
import type { ProviderSignIn } from "../providers/provider-sign-in.ts";
import type { SignIn, SignInClient, SignedIn } from "../sign-in/sign-in-methods.ts";
import type { BrowserCookies } from "../../platform/http/requests/session-cookie.ts";
import type { RunOperation } from "../../platform/http/run-operation.ts";
import type { PageContent, PagePlace } from "./page-frame.ts";
import type { Problem } from "./text-field.ts";

/** What pages are given. */
export interface PageContext {
  readonly signIn: SignIn;
  readonly providers: ProviderSignIn;
  readonly oauth: Pick<OAuth, "approvals">;
  readonly cookies: BrowserCookies;
  readonly runOperation: RunOperation;
  /** Base of absolute URLs, without a slash at the end; empty: none is set. */
  readonly publicUrl: string;
}

/** A request for a page. */
export interface PageRequest extends PageContext, PagePlace {
  readonly request: FastifyRequest;
  readonly client: SignInClient;
  /** ms */
  readonly now: number;
  /** Who is signed in; null: nobody is. */
  readonly caller: Caller | null;
  /** Why the last form was refused, when the page is shown again for it. */
  readonly refusal: ApiError | null;
  /** A parameter of the query; empty where it is absent. */
  query(name: string): string;
  /** A parameter of the path. */
  param(name: string): string;
}

export type PageResult =
  | (PageContent & {
      readonly status?: number;
      /** An absolute URL that the browser goes to from the page. */
      readonly refresh?: string;
      readonly cookies?: readonly string[];
    })
  | {
      /** Relative to /console/. */
      readonly redirect: string;
      /** The person at the browser has just signed in: it gets these cookies, and its earlier session ends. */
      readonly signedIn?: SignedIn;
      /** `Set-Cookie` headers. */
      readonly cookies?: readonly string[];
    }
  /** For the script of a page. */
  | { readonly json: unknown }
  /** A whole document of the app, and what a policy names its style by. */
  | { readonly document: string; readonly styleSource: string };

export interface Page {
  /** Below `/console/`; may have parameters. */
  readonly path: string;
  readonly summary: string;
  /** Whether the visitor must be signed in. */
  readonly needsSession: boolean;
  /** Refusals are sent in the form of the API. */
  readonly forScript?: true;
  /** Absent: the page has only a form elsewhere. */
  show?(pageRequest: PageRequest): PageResult | Promise<PageResult>;
  /** Does what the form asks. A refusal that it throws is shown on the same page. */
  submit?(pageRequest: PageRequest): Promise<PageResult>;
}

/** Only addresses below /console/: a path of another host or folder would hand a visitor on to strangers. */
const RETURN_PATH = /^[\w-]+(?:\/[\w-]+)*(?:\?[\w=&%.+~:,-]*)?$/;

/** Where to go after a step: what the query or the form names, or the first page. */
export function returnPath(text: string): string {
  return RETURN_PATH.test(text) ? text : "./";
}

/** A link to another page that comes back to this one. */
export function withReturn(page: string, path: string): string {
  return path === "./" ? page : `${page}?return=${encodeURIComponent(path)}`;
}

/** The caller of a page that needs a session. */
export function signedIn({ caller }: PageRequest): Caller & { readonly account: NonNullable<Caller["account"]> } {
  if (!caller?.account) throw new Error("the page's route let a visitor through who is not signed in");
  return caller as ReturnType<typeof signedIn>;
}

/** A person's name in the head of pages. */
export function nameOf({ account }: Caller): string {
  return account?.name || (account?.username ?? "");
}

/** What forms call the API's fields; the name of a field that no form has says nothing to people. */
const LABELS: Readonly<Record<string, string>> = {
  email: "E-mail",
  password: "Password",
  username: "Username",
  name: "Name",
};

/** What a wrong proof is refused with. */
const WRONG_PROOFS: ReadonlySet<string> = new Set(["sign_in_failed", "device_code_unknown"]);

/**
 * What a page shows of a refusal; null: there is none. `proof` is the field that a wrong proof was typed into: the API names none,
 * because a stranger would learn from it.
 */
export function problemOf({ refusal }: Pick<PageRequest, "refusal">, proof?: string): Problem | null {
  if (!refusal) return null;
  const { code, message, details } = refusal;
  const field = typeof details["field"] === "string" ? shownField(details["field"]) : "";
  if (field === "" || !message.startsWith(`${field}: `)) {
    return { text: message, besideText: message, field: proof !== undefined && WRONG_PROOFS.has(code) ? proof : null };
  }
  const besideText = message.slice(field.length + 2).replace(/^./u, (letter) => letter.toUpperCase());
  const label = LABELS[field];
  return { text: label === undefined ? besideText : `${label}: ${message.slice(field.length + 2)}`, besideText, field };
}
