// A server that commands reach over HTTP, as its administrator.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { Flags } from "../../src/serve/config/config.ts";
import { createStorage } from "../harness/test-app.ts";
import { serveReeve } from "./in-process.ts";
import type { Server } from "./in-process.ts";

const TOKEN = "an_administrators_token_of_this_test";

export interface RemoteWorld {
  readonly server: Server;
  /** What reaches the server: its URL and an administrator's token. */
  readonly remote: Readonly<Record<string, string>>;
  /** Its own, for files. */
  readonly folder: string;
  /** Those of the server, for commands on its database. */
  readonly flags: Flags;
}

/** Ends with the tests of the file. `more` are settings of the server. */
export async function startRemoteWorld(more: Flags = {}): Promise<RemoteWorld> {
  const storage = await createStorage();
  const folder = mkdtempSync(join(tmpdir(), "reeve-remote-"));
  const server = await serveReeve({ ...storage.flags, bootstrapToken: TOKEN, ...more });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
    await storage.remove();
  });
  const remote = { REEVE_SERVER: server.url, REEVE_TOKEN: TOKEN, XDG_CONFIG_HOME: folder };
  return { server, remote, folder, flags: storage.flags };
}
