// `reeve gate seclang`: from settings to files for ModSecurity, once or for as long as it runs.
import { resolve } from "node:path";
import { Failure } from "../cli/failure.ts";
import type { SeclangRequest, SeclangStart } from "../cli/starts.ts";
import type { GateSettings } from "../config/gate-settings.ts";
import { requireControlPlane } from "../config/gate-settings.ts";
import { createControlPlane } from "../gate/bundle/control-plane.ts";
import { createSeclangKeeper } from "../gate/seclang/seclang-keeper.ts";
import { createLogger } from "../observability/logger.ts";
import { awaitStop } from "../server/shutdown.ts";

export async function renderSeclang(
  settings: GateSettings,
  { watch, ...request }: SeclangRequest,
  announce: (start: SeclangStart) => void,
): Promise<SeclangStart & { readonly code: number }> {
  const { server, key } = requireControlPlane(settings);
  const { dir, detectOnly, hosts, logLevel } = settings;
  const stop = watch ? awaitStop() : null;
  const keeper = createSeclangKeeper(
    { ...request, out: resolve(request.out), dir, detectOnly, hosts },
    {
      controlPlane: createControlPlane({ server, key: () => key }),
      server,
      clock: Date.now,
      log: createLogger(logLevel),
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
