// One database of countries or networks in the format MMDB, which DB-IP, MaxMind, IPinfo and others publish.
import { Reader } from "mmdb-lib";
import type { RequestAttributes } from "../../firewall/evaluator/request/attributes.ts";

export type Geo = NonNullable<RequestAttributes["geo"]>;

export interface GeoDatabase {
  /** As its publisher calls it, such as `DBIP-Country-Lite`. */
  readonly type: string;
  /** When it was made; ms. */
  readonly builtAt: number;
  /** What it says about an address; throws when that cannot be read. */
  find(address: string): Geo;
}

/** The largest free databases have a third of that. */
export const MAX_DATABASE_BYTES = 256 * 1_024 * 1_024;

/** Where publishers put each member: a path of names, or the position in a list. */
const PATHS: Readonly<Record<keyof Geo, readonly string[]>> = {
  continent: ["continent.code", "continent_code"],
  country: ["country.iso_code", "country_code"],
  region: ["subdivisions.0.iso_code", "region_code"],
  city: ["city.names.en", "city"],
  asNumber: ["autonomous_system_number", "asn"],
};
const MEMBERS = Object.entries(PATHS).map(
  ([member, paths]) => [member as keyof Geo, paths.map((path) => path.split("."))] as const,
);

/** Before the metadata, which are at the end of the file: within its last 128 KiB. https://maxmind.github.io/MaxMind-DB */
const METADATA_MARKER = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");
const MAX_METADATA_BYTES = 128 * 1_024;
/** Records that many networks share, such as those of countries. */
const MAX_CACHED = 10_000;

function valueAt(record: unknown, path: readonly string[]): unknown {
  let value = record;
  for (const name of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function readMember(record: unknown, member: keyof Geo, paths: readonly (readonly string[])[]): string | undefined {
  const value = paths
    .map((path) => valueAt(record, path))
    .find((one) => typeof one === "string" || typeof one === "number");
  if (value === undefined || value === "") return undefined;
  // IPinfo writes AS64500.
  return member === "asNumber" ? String(value).replace(/^AS/, "") : String(value);
}

function createRecordCache() {
  const known = new Map<string | number, unknown>();
  return {
    get: (key: string | number) => known.get(key),
    set(key: string | number, value: unknown) {
      if (known.size >= MAX_CACHED) known.clear();
      known.set(key, value);
    },
  };
}

function openReader(bytes: Buffer): Reader<never> {
  try {
    return new Reader<never>(bytes, { cache: createRecordCache() });
  } catch (error) {
    throw new Error(`expected a database in the format MMDB: ${(error as Error).message}`, { cause: error });
  }
}

/** Throws when the bytes are no such database, or not all of it. */
export function openGeoDatabase(bytes: Buffer): GeoDatabase {
  // The library searches the whole file for it, which takes long where there is none.
  if (!bytes.subarray(-MAX_METADATA_BYTES).includes(METADATA_MARKER)) {
    throw new Error("expected a database in the format MMDB, which ends with its metadata");
  }
  const reader = openReader(bytes);
  const { databaseType, buildEpoch, searchTreeSize } = reader.metadata;
  if (!(searchTreeSize < bytes.length)) throw new Error("expected a whole database: a part of it is missing");
  return {
    type: databaseType,
    builtAt: buildEpoch.getTime(),
    find(address) {
      const record: unknown = reader.get(address);
      const found: Partial<Record<keyof Geo, string>> = {};
      for (const [member, paths] of MEMBERS) {
        const value = readMember(record, member, paths);
        if (value !== undefined) found[member] = value;
      }
      return found;
    },
  };
}
