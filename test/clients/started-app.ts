// A Reeve that listens on loopback, for clients that speak HTTP themselves.
import type { AddressInfo } from "node:net";
import { startOwnApp } from "../harness/test-app.ts";
import type { TestApp } from "../harness/test-app.ts";
import type { Flags } from "../../src/serve/config/config.ts";

export interface StartedApp extends TestApp {
  readonly url: string;
}

export async function startListeningApp(flags: Flags = {}): Promise<StartedApp> {
  const testApp = await startOwnApp(flags);
  await testApp.app.server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = testApp.app.server.server.address() as AddressInfo;
  return { ...testApp, url: `http://127.0.0.1:${port}` };
}
