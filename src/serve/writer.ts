// Entry of the writer thread: runs units of work on the one writing connection of the embedded store.
import { createRegistry } from "./composition/registry.ts";
import { openKeyring } from "../platform/keyring/keyring.ts";
import type { KeySources } from "../platform/keyring/keyring.ts";
import { serveWriter } from "../platform/store/sqlite/writer-thread.ts";
import type { Changes } from "./composition/internal-changes.ts";
import { runUnitOfWork } from "../platform/operations/unit-of-work.ts";
import type { UnitOfWork } from "../platform/operations/unit-of-work.ts";

/** The thread's first message. */
export interface WriterSetup {
  readonly file: string;
  readonly keySources: KeySources;
}

serveWriter(({ file, keySources }: WriterSetup) => {
  const registry = createRegistry(openKeyring(keySources));
  return {
    file,
    handle: (tx, input) => runUnitOfWork(registry, tx, input as UnitOfWork<Changes>),
  };
});
