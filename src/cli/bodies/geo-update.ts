// `reeve gate geo update`: from settings to databases in a folder.
import { Failure } from "../../platform/outcomes/failure.ts";
import type { GateSettings } from "../../serve/config/gate-settings.ts";
import { GEO_SOURCE, GeoUpdateError, updateGeo } from "../../gate/geo/geo-update.ts";

/** The databases that `reeve gate geo update` has downloaded. */
export interface GeoUpdated {
  readonly dir: string;
  readonly databases: readonly {
    readonly file: string;
    readonly type: string;
    /** ms */
    readonly builtAt: number;
    readonly bytes: number;
  }[];
  readonly attribution: string;
}

/** Downloads from DB-IP, or from a mirror of it. */
export async function updateGeoDatabases({ geoDir }: GateSettings, mirror: string | null): Promise<GeoUpdated> {
  try {
    return { dir: geoDir, ...(await updateGeo(geoDir, (mirror ?? GEO_SOURCE).replace(/\/+$/, ""), Date.now())) };
  } catch (error) {
    if (error instanceof GeoUpdateError) throw new Failure("unavailable", `${error.message} (--url names a mirror)`);
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (code.startsWith("E")) throw new Failure("unavailable", `${message} (REEVE_GATE_GEO_DIR, --geo-dir)`);
    throw error;
  }
}
