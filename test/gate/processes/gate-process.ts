// `reeve gate` as a process on a free port.
import { startReeve } from "../../cli/reeve-process.ts";
import type { ReeveProcess } from "../../cli/reeve-process.ts";

export interface GateProcess extends ReeveProcess {
  readonly url: string;
}

export interface GateProcessSettings {
  readonly server: string;
  readonly key: string;
  /** `host=team/project`, separated by commas. */
  readonly hosts: string;
  readonly dir: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Resolves when it listens. */
export async function startGateProcess(settings: GateProcessSettings): Promise<GateProcess> {
  const { server, key, hosts, dir, environment = {} } = settings;
  const gate = startReeve(
    ["gate", "--listen", "127.0.0.1:0"],
    { logLevel: "warn" },
    {
      REEVE_GATE_SERVER: server,
      REEVE_GATE_KEY: key,
      REEVE_GATE_HOSTS: hosts,
      REEVE_GATE_DIR: dir,
      ...environment,
    },
  );
  const [, url = ""] = await gate.printed(/^The gate listens on {2}(\S+)$/m);
  return { ...gate, url };
}
