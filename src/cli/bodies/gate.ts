// `reeve gate`: from settings to a running gate, and back to an exit code.
import type { GateSettings } from "../../serve/config/gate-settings.ts";
import { requireControlPlane } from "../../serve/config/gate-settings.ts";
import { createControlPlane } from "../../gate/bundle/control-plane.ts";
import { warnOfAccessToken } from "../../gate/key-scope-warning.ts";
import { runGate } from "../../gate/run-gate.ts";
import { createLogger, logWarnings } from "../../serve/observability/logger.ts";
import { awaitStop, drain, onHangUp } from "../../serve/shutdown.ts";

/** The outcome of a gate's start. */
export interface GateStart {
  readonly url: string;
  /** URL of the control plane. */
  readonly server: string;
  /** The application; null: the gate only answers checks. */
  readonly upstream: string | null;
  readonly projects: readonly {
    readonly project: string;
    /** Null: no configuration is active. */
    readonly version: number | null;
    readonly hasBundle: boolean;
    /** Why the control plane did not confirm the bundle; null: it did. */
    readonly problem: string | null;
    /** `mistake`: the control plane has refused, and an operator has to repair what the problem names. */
    readonly problemKind: "mistake" | "outage" | null;
  }[];
}

/** Protects until it receives a stop signal; resolves to the exit code. `readAgain` reads the settings anew, with what files then have. */
export async function protect(
  settings: GateSettings,
  readAgain: () => GateSettings,
  announce: (start: GateStart) => void,
): Promise<number> {
  const { server } = requireControlPlane(settings);
  let { key } = requireControlPlane(settings);
  const stop = awaitStop();
  const log = createLogger(settings.logLevel);
  logWarnings(log);
  warnOfAccessToken(key, "REEVE_GATE_KEY", log);
  const controlPlane = createControlPlane({ server, key: () => key });
  const renewKey = () => {
    const before = key;
    ({ key } = requireControlPlane(readAgain()));
    return key !== before;
  };
  onHangUp(stop, log, [{ what: "the API key", renew: renewKey }]);
  const gate = await runGate(settings, { controlPlane, server, clock: Date.now, log });
  announce({
    url: gate.url,
    server,
    upstream: settings.upstream,
    projects: gate.projects.map(({ name, protection, problem }) => ({
      project: name,
      version: protection?.bundle.configuration?.version ?? null,
      hasBundle: protection !== null,
      problem: problem?.message ?? null,
      problemKind: problem?.kind ?? null,
    })),
  });
  const exitCode = await stop.exitCode;
  await drain(stop, settings.drain, log, () => gate.announceStop());
  await gate.close();
  return exitCode;
}
