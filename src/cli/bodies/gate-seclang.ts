// `reeve gate seclang`: from settings to files for ModSecurity, once or for as long as it runs.
import { resolve } from "node:path";
import { Failure } from "../../platform/outcomes/failure.ts";
import type { GateSettings } from "../../serve/config/gate-settings.ts";
import { requireControlPlane } from "../../serve/config/gate-settings.ts";
import { createControlPlane } from "../../gate/bundle/control-plane.ts";
import { createSeclangKeeper } from "../../gate/seclang/seclang-keeper.ts";
import { createLogger, logWarnings } from "../../serve/observability/logger.ts";
import { awaitStop } from "../../serve/shutdown.ts";
import type { GateStart } from "./gate.ts";

/** What `reeve gate seclang` is asked for. */
export interface SeclangRequest {
  readonly out: string;
  readonly watch: boolean;
  readonly loaded: string | null;
  readonly rules: string;
  readonly paranoia: number | null;
  readonly engine: string;
  readonly auditLog: string | null;
}

export interface SeclangStart {
  readonly projects: readonly (GateStart["projects"][number] & {
    readonly file: string;
    /** `kept`: there is no bundle, so the file stays as it was. */
    readonly outcome: "written" | "unchanged" | "kept";
    /** What of the configuration could not be written. */
    readonly notes: readonly string[];
  })[];
}

export async function renderSeclang(
  settings: GateSettings,
  { watch, ...request }: SeclangRequest,
  announce: (start: SeclangStart) => void,
): Promise<SeclangStart & { readonly code: number }> {
  const { server, key } = requireControlPlane(settings);
  const { dir, detectOnly, hosts, logLevel } = settings;
  const stop = watch ? awaitStop() : null;
  const log = createLogger(logLevel);
  logWarnings(log);
  const keeper = createSeclangKeeper(
    { ...request, out: resolve(request.out), dir, detectOnly, hosts },
    {
      controlPlane: createControlPlane({ server, key: () => key }),
      server,
      clock: Date.now,
      log,
    },
  );
  try {
    const projects = await keeper.start();
    announce({ projects });
    if (stop) keeper.watch();
    return { projects, code: (await stop?.exitCode) ?? 0 };
  } catch (error) {
    const { code = "", syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined || !code.startsWith("E")) throw error;
    throw new Failure("unavailable", `--out: expected a folder that can be written: ${message}`);
  } finally {
    await keeper.stop();
  }
}
