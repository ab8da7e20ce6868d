// The firewall's configuration of the page's project: what is active, and the draft, which is what the pages change.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { isRefusal, call, fetchApi } from "../../api/call.ts";
import { isOutdated } from "../../api/seen-version.ts";
import type { Fetched } from "../../api/call.ts";
import { useTeamId } from "../../api/team.ts";
import type { Change, Config } from "./config-types.ts";
import { useProject } from "../../parts/project.tsx";
import { useUndoable } from "../../parts/toast.tsx";

export interface Configs {
  readonly active: Fetched<Config> | null;
  readonly draft: Fetched<Config> | null;
}

type Owner = { readonly teamId: string; readonly projectId: string };

/** Team and project, as the API's calls of the firewall take them. */
export function useFirewallQuery(): Owner {
  const teamId = useTeamId();
  const [projectId] = useProject();
  return { teamId, projectId };
}

async function find(configVersion: string, query: Owner, signal?: AbortSignal): Promise<Fetched<Config> | null> {
  try {
    return await fetchApi("GET /v1/firewalls/:configVersion", { params: { configVersion }, query }, signal);
  } catch (error) {
    if (isRefusal(error) && error.status === 404) return null;
    throw error;
  }
}

async function findBoth(query: Owner, signal?: AbortSignal): Promise<Configs> {
  const [active, draft] = await Promise.all([find("active", query, signal), find("draft", query, signal)]);
  return { active, draft };
}

export function useConfigs() {
  const query = useFirewallQuery();
  return useQuery({ queryKey: ["firewall", query], queryFn: ({ signal }) => findBoth(query, signal) });
}

/** What the pages show and change: the draft, else the active configuration. */
export function shownConfig({ active, draft }: Configs): Config | null {
  return (draft ?? active)?.value ?? null;
}

/** What somebody else stored meanwhile in the place of what was shown here. */
export class ChangedMeanwhile extends Error {
  override readonly name = "ChangedMeanwhile";
  readonly stored: unknown;

  constructor(stored: unknown) {
    super("Somebody else has changed it meanwhile");
    this.stored = stored;
  }
}

interface Staged {
  /** Or what it is for the configuration as it is found then; null: there is nothing to change. */
  readonly change: Change | ((config: Config | null) => Change | null);
  /** Finds in the configuration what the change replaces, and what it is known to be. Other people's changes elsewhere do not matter. */
  readonly replaces?: { readonly find: (config: Config) => unknown; readonly known: unknown };
  /** What is said once it is done, and what takes it back. */
  readonly done?: { readonly text: string; readonly undo: Staged };
}

const TRIES = 3;

async function stageOnce({ change, replaces }: Staged, query: Owner): Promise<Config | null> {
  const found = await findBoth(query);
  const config = shownConfig(found);
  if (replaces) {
    const stored = config ? replaces.find(config) : undefined;
    if (JSON.stringify(stored) !== JSON.stringify(replaces.known)) throw new ChangedMeanwhile(stored);
  }
  const wanted = typeof change === "function" ? change(config) : change;
  if (wanted === null) return config;
  return await call("PATCH /v1/firewalls/:configVersion", {
    params: { configVersion: "draft" },
    query,
    body: { ...wanted, expectedVersion: found.active?.value.version ?? 0 },
    ...(found.draft ? { ifMatch: found.draft.etag } : { ifNoneMatch: "*" }),
  });
}

async function stage(staged: Staged, query: Owner): Promise<Config | null> {
  for (let tries = 1; ; tries++) {
    try {
      return await stageOnce(staged, query);
    } catch (error) {
      if (tries === TRIES || !isOutdated(error)) throw error;
    }
  }
}

/** Adds a change to the draft, unless somebody else has changed what it replaces. */
export function useStage(onDone?: () => void) {
  const query = useFirewallQuery();
  const client = useQueryClient();
  const toast = useUndoable();
  return useMutation({
    // One after the other, in their order, so that each finds what the one before has changed.
    scope: { id: `firewall ${query.teamId} ${query.projectId}` },
    mutationFn: (staged: Staged) => stage(staged, query),
    onSuccess(_config, { done }) {
      onDone?.();
      if (done) toast(done.text, () => stage(done.undo, query));
    },
    onSettled: () => client.invalidateQueries(),
  });
}
