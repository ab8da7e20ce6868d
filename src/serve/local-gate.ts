// The control plane of a gate that runs within this server: the same operations, without HTTP and without a credential.
import type { Settings } from "./config/config.ts";
import type { GateSettings } from "./config/gate-settings.ts";
import { instanceSettings } from "./config/instance-settings.ts";
import { RefusedError, changesIn } from "../gate/bundle/control-plane.ts";
import type { ControlPlane } from "../gate/bundle/control-plane.ts";
import { SETTING_NAMES } from "../gate/bundle/problem.ts";
import type { SettingNames } from "../gate/bundle/problem.ts";
import type { ProjectReference } from "../gate/hosts.ts";
import { runGate } from "../gate/run-gate.ts";
import type { RunningGate } from "../gate/run-gate.ts";
import type { GateLog } from "../gate/gate-log.ts";
import { ApiError } from "../platform/kernel/errors.ts";
import { newId } from "../platform/kernel/ids.ts";
import { entityTag, namesTag } from "../platform/kernel/revision.ts";
import type { Clock } from "../platform/kernel/scheduling/clock.ts";
import type { Chunk } from "../platform/kernel/stream.ts";
import type { RenderedResult } from "../platform/kernel/contract.ts";
import { NO_SCOPE } from "../platform/operations/authorize.ts";
import { resultOf } from "../platform/operations/execute.ts";
import type { OperationRequest } from "../platform/operations/execute.ts";
import { SYSTEM_CALLER } from "../events/events/system.ts";
import type { StoreRunner } from "./store-runner.ts";

/** There are no flags. */
const LOCAL_NAMES: SettingNames = { ...SETTING_NAMES, team: "REEVE_GATE_HOSTS", project: "REEVE_GATE_HOSTS" };
/** How long to wait for a change before the stream looks again. */
const WAIT_MS = 60_000;

type Call = Pick<OperationRequest, "operation" | "query"> & Partial<Pick<OperationRequest, "body" | "chunk">>;

/** Throws what a control plane elsewhere would answer. */
function throwRefusal(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  throw new RefusedError(error.status, `${error.message} (${error.status})`, error.details["projectId"]);
}

function createControlPlane(runner: StoreRunner, settings: Settings, clock: Clock): ControlPlane {
  const instance = instanceSettings(settings);

  function requestFor(team: string | null, call: Call): OperationRequest {
    const scope = team === null ? {} : team.startsWith("team_") ? { teamId: team } : { slug: team };
    return {
      identity: { caller: SYSTEM_CALLER },
      scope: { ...NO_SCOPE, ...scope },
      params: {},
      body: undefined,
      now: clock(),
      ifMatch: null,
      origin: { ip: "", userAgent: "reeve-gate", requestId: newId("request"), via: "system" },
      instance,
      idempotency: null,
      ...call,
    };
  }

  async function readChunk(team: string | null, cursor: unknown): Promise<Chunk> {
    const chunk = { mediaType: "text/event-stream", cursor, lastEventId: null };
    const request = requestFor(team, { operation: "streamGateChanges", query: {}, chunk });
    return (await runner.read(request, SYSTEM_CALLER)).result as Chunk;
  }

  return {
    async fetchBundle({ team, project }: ProjectReference, etag) {
      const request = requestFor(team, { operation: "getGateBundle", query: { projectId: project } });
      const outcome = await runner.read(request, SYSTEM_CALLER).catch(throwRefusal);
      const { rendered, contentTag = "" } = resultOf(outcome) as RenderedResult;
      const current = entityTag(contentTag);
      return namesTag(etag ?? "", current) ? null : { etag: current, text: Buffer.from(rendered).toString() };
    },

    async reportTraffic({ team, project }, _id, counts, responses) {
      const query = { projectId: project };
      const request = requestFor(team, { operation: "reportTraffic", query, body: { counts, responses } });
      await runner.write(request, SYSTEM_CALLER);
    },

    async reportDecisions({ team, project }, _id, decisions) {
      const query = { projectId: project };
      const request = requestFor(team, { operation: "reportGateDecisions", query, body: { decisions } });
      await runner.write(request, SYSTEM_CALLER);
    },

    async listen(team, signal, onOpen, onChange) {
      let chunk = await readChunk(team, null);
      onOpen();
      const ownerId = chunk.awaits?.ownerId;
      if (ownerId === undefined) throw new Error("a stream that begins now waits at once");
      const watch = runner.watchChain(ownerId);
      try {
        while (!signal.aborted) {
          if (chunk.awaits) await watch.wait(chunk.awaits.sequence, WAIT_MS, signal);
          chunk = await readChunk(team, chunk.next);
          for (const project of changesIn(chunk.text)) onChange(project);
        }
      } finally {
        watch.end();
      }
    },
  };
}

/** Starts the gate of `reeve serve --gate`. */
export async function startLocalGate(
  runner: StoreRunner,
  {
    settings,
    gateSettings,
    clock,
    log,
  }: { settings: Settings; gateSettings: GateSettings; clock: Clock; log: GateLog },
): Promise<RunningGate> {
  const controlPlane = createControlPlane(runner, settings, clock);
  // The store is the server's own: a copy on disk would serve nobody. It starts without its projects, which are created with this server.
  return await runGate(
    { ...gateSettings, dir: null },
    { controlPlane, server: "local", settingNames: LOCAL_NAMES, startsWithMistakes: true, clock, log },
  );
}
