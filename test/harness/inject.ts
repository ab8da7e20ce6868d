// Passes requests to an app in process, as clients that call it by its public URL: pages at another name lead there.
import { inject as injectRequest } from "light-my-request";
import type { InjectOptions, Response } from "light-my-request";
import type { Settings } from "../../src/serve/config/config.ts";
import type { App } from "../../src/serve/app.ts";

const hosts = new WeakMap<App, string>();

export function noteHost(app: App, { publicUrl }: Settings): void {
  if (publicUrl !== null) hosts.set(app, new URL(publicUrl).host);
}

/** Passes a request to an app as its sockets do. */
export async function inject(app: App, request: InjectOptions): Promise<Response> {
  await app.server.ready();
  const { server } = app.server;
  const called = { authority: hosts.get(app) ?? "localhost:80", ...request };
  return await injectRequest((incoming, response) => void server.emit("request", incoming, response), called);
}
