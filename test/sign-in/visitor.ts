// A browser without scripts: it keeps cookies, sends forms as a page of the server does, and follows redirects when asked.
import { inject } from "../harness/inject.ts";
import type { App } from "../../src/serve/app.ts";

export interface Shown {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly location: string | null;
  readonly html: string;
  /** What the page shows as wrong, after the label of the field that it is beside; null: nothing. */
  readonly problem: string | null;
  readonly title: string | null;
}

export interface Visitor {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Shown>;
  post(
    path: string,
    form: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Shown>;
}

const USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

function textOf(html: string, pattern: RegExp): string | null {
  const found = pattern.exec(html)?.[1];
  return found === undefined
    ? null
    : found
        .replace(/<[^>]*>/g, "")
        .replaceAll("&#39;", "'")
        .replace(/\s+/g, " ")
        .trim();
}

/** What is wrong is above the form, or beside the field that its description belongs to. */
function problemOf(html: string): string | null {
  const text = textOf(html, /<p class="problem(?: banner)?"(?! data-passkey-status)[^>]*>([^]*?)<\/p>/);
  const field = /<input\s[^>]*aria-invalid="true"[^>]*>/.exec(html)?.[0];
  if (field === undefined) return text;
  const id = /\sid="([^"]*)"/.exec(field)?.[1];
  return `${textOf(html, new RegExp(`<label for="${id}">([^]*?)</label>`))}: ${text}`;
}

/** `ip` is the address that it comes from. */
export function createVisitor(app: App, ip = "192.0.2.1"): Visitor {
  const cookies = new Map<string, string>();

  async function send(
    method: "GET" | "POST",
    path: string,
    headers: Readonly<Record<string, string>>,
    payload?: string,
  ) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await inject(app, {
      method,
      url: `/console/${path}`,
      remoteAddress: ip,
      headers: { "user-agent": USER_AGENT, accept: "text/html", ...(cookie === "" ? {} : { cookie }), ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    for (const line of [response.headers["set-cookie"] ?? []].flat()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) as RegExpExecArray;
      if (value === "") cookies.delete(name as string);
      else cookies.set(name as string, value as string);
    }
    const html = response.body;
    return {
      status: response.statusCode,
      headers: response.headers as Shown["headers"],
      location: response.headers["location"]?.toString() ?? null,
      html,
      problem: problemOf(html),
      title: textOf(html, /<h1>([^]*?)<\/h1>/),
    };
  }

  return {
    cookies,
    get: (path, headers = {}) => send("GET", path, { "sec-fetch-site": "none", ...headers }),
    post: (path, form, headers = { "sec-fetch-site": "same-origin" }) =>
      send(
        "POST",
        path,
        { "content-type": "application/x-www-form-urlencoded", ...headers },
        new URLSearchParams(form).toString(),
      ),
  };
}
