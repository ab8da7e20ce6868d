// Lists the contexts, and chooses the one that commands use.
import type { ContextEntry } from "./contexts.ts";
import type { RemoteSettings } from "../../../serve/config/remote-settings.ts";
import { describeContext, getContext, readContexts, writeContexts } from "./contexts.ts";

export interface ContextList {
  readonly contexts: readonly ContextEntry[];
  /** Where they are stored. */
  readonly file: string;
}

export async function listContexts({ contextsFile: file }: RemoteSettings): Promise<ContextList> {
  const stored = await readContexts(file);
  const entries = Object.entries(stored.contexts).map(([name, context]) => describeContext(stored, name, context));
  return { contexts: entries, file };
}

export async function useContext({ contextsFile: file }: RemoteSettings, name: string): Promise<ContextEntry> {
  const stored = await readContexts(file);
  const context = getContext(stored, name);
  const changed = { ...stored, current: name };
  await writeContexts(file, changed);
  return describeContext(changed, name, context);
}
