// A browser without a window: it keeps cookies, sends forms as a page of the server does, and follows nothing by itself.
import { inject } from "../harness/test-app.ts";
import type { TestApp } from "../harness/test-app.ts";

export interface Visited {
  readonly status: number;
  readonly location: string | undefined;
  readonly text: string;
}

export interface Browser {
  get(path: string): Promise<Visited>;
  /** Sends a form to a page. */
  post(path: string, fields: Readonly<Record<string, string>>): Promise<Visited>;
}

const HOST = "reeve.test";

/** A browser at an address that has never been here. */
export function openBrowser({ app }: Pick<TestApp, "app">, ip: string): Browser {
  const cookies = new Map<string, string>();

  async function visit(method: "GET" | "POST", url: string, payload?: string): Promise<Visited> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const { statusCode, headers, body } = await inject(app, {
      method,
      url,
      remoteAddress: ip,
      headers: {
        host: HOST,
        ...(cookie !== "" && { cookie }),
        ...(payload !== undefined && {
          "sec-fetch-site": "same-origin",
          "content-type": "application/x-www-form-urlencoded",
        }),
      },
      ...(payload !== undefined && { payload }),
    });
    for (const line of [headers["set-cookie"] ?? []].flat()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    return { status: statusCode, location: headers.location, text: body };
  }

  return {
    get: (path) => visit("GET", path),
    post: (path, fields) => visit("POST", path, new URLSearchParams(fields).toString()),
  };
}
