// The databases in a folder, read whole into memory, and again when a file has changed. A file that cannot be used changes nothing.
import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { formatAddress, parseAddress } from "../../platform/kernel/network/network.ts";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import { throttle } from "../../platform/kernel/telemetry/throttle.ts";
import type { GateLog } from "../gate-log.ts";
import { MAX_DATABASE_BYTES, openGeoDatabase } from "./geo-database.ts";
import type { Geo, GeoDatabase } from "./geo-database.ts";

export const GEO_SUFFIX = ".mmdb";
/** Countries, cities, networks, and one more. */
const MAX_FILES = 4;
const LOOK_MS = 10_000;
export const NO_GEO: Geo = {};

export interface GeoFolder {
  /** What the databases say about an address; where two say the same, the one whose file comes first by name counts. */
  find(ip: string | undefined): Geo;
  /** Reads what has changed; `start` does it again every ten seconds. Never rejects. */
  refresh(): Promise<void>;
  /** Resolves when the databases are there. */
  start(): Promise<void>;
  stop(): void;
}

interface Loaded {
  /** Differs once the file is another one. */
  readonly version: string;
  /** Null: it could not be used. */
  readonly database: GeoDatabase | null;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith(GEO_SUFFIX)).toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

export function createGeoFolder(folder: string, log: GateLog): GeoFolder {
  let files: ReadonlyMap<string, Loaded> = new Map();
  let databases: readonly GeoDatabase[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const warnUnreadable = throttle<Error>(MINUTE_MS, ({ message }, count) =>
    log.error({ reason: message, count, folder }, "a record of a geo database cannot be read (REEVE_GATE_GEO_DIR)"),
  );

  async function load(name: string, known: Loaded | undefined): Promise<Loaded> {
    const file = join(folder, name);
    const { size, mtimeMs, ino } = await stat(file);
    const version = `${size} ${mtimeMs} ${ino}`;
    if (known?.version === version) return known;
    try {
      if (size > MAX_DATABASE_BYTES) throw new Error(`expected at most ${MAX_DATABASE_BYTES} bytes`);
      const database = openGeoDatabase(await readFile(file));
      log.info({ file, type: database.type, builtAt: new Date(database.builtAt).toISOString() }, "read a geo database");
      return { version, database };
    } catch (error) {
      const used = known?.database ? "the last one is used" : "it is not used";
      log.error(
        { file, reason: (error as Error).message },
        `a geo database cannot be read: ${used} (REEVE_GATE_GEO_DIR)`,
      );
      return { version, database: known?.database ?? null };
    }
  }

  async function refresh(): Promise<void> {
    try {
      const names = await namesIn(folder);
      if (names.length > MAX_FILES) log.warn({ folder, used: MAX_FILES }, "there are more geo databases than are used");
      const found = new Map<string, Loaded>();
      for (const name of names.slice(0, MAX_FILES)) found.set(name, await load(name, files.get(name)));
      files = found;
      databases = [...found.values()].flatMap(({ database }) => database ?? []);
    } catch (error) {
      log.error(
        { folder, reason: (error as Error).message },
        "the folder of geo databases cannot be read (REEVE_GATE_GEO_DIR)",
      );
    }
  }

  function lookAgain(): void {
    if (isStopped) return;
    timer = setTimeout(() => void refresh().then(lookAgain), LOOK_MS).unref();
  }

  return {
    refresh,
    find(ip) {
      const address = ip === undefined || databases.length === 0 ? null : parseAddress(ip);
      if (!address) return NO_GEO;
      const text = formatAddress(address);
      try {
        return Object.assign({}, ...databases.toReversed().map((database) => database.find(text))) as Geo;
      } catch (error) {
        warnUnreadable(error as Error);
        return NO_GEO;
      }
    },
    async start() {
      await refresh();
      lookAgain();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
