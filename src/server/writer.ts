// Entry of the writer thread: mutations and internal commands on the embedded store's one writing connection.
import { createRegistry } from "../registry.ts";
import { encodeFailure } from "../http/responses/error-response.ts";
import { openKeyring } from "../keyring/keyring.ts";
import type { KeySources } from "../keyring/keyring.ts";
import { serveWriter } from "../store/sqlite/writer-thread.ts";
import type { Commands } from "../internal-commands.ts";
import { runUnitOfWork } from "../operations/unit-of-work.ts";
import type { UnitOfWork } from "../operations/unit-of-work.ts";

/** What the thread is told to work on. */
export interface WriterSetup {
  readonly file: string;
  readonly keySources: KeySources;
}

serveWriter(({ file, keySources }: WriterSetup) => {
  const registry = createRegistry(openKeyring(keySources));
  return {
    file,
    handle: (tx, input) => runUnitOfWork(registry, tx, input as UnitOfWork<Commands>),
  };
}, encodeFailure);
