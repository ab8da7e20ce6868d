// Downloads the free databases of DB-IP: countries, and networks with their numbers. They are published monthly under CC BY 4.0, which asks
// for attribution; Reeve contains none of them.
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { MAX_DATABASE_BYTES, openGeoDatabase } from "./geo-database.ts";
import type { GeoDatabase } from "./geo-database.ts";
import { GEO_SUFFIX } from "./geo-folder.ts";

export const GEO_SOURCE = "https://download.db-ip.com/free";
export const ATTRIBUTION =
  "IP Geolocation by DB-IP (https://db-ip.com), licensed under the Creative Commons Attribution 4.0 International License " +
  "(https://creativecommons.org/licenses/by/4.0/). Pages that show what follows from it link back to https://db-ip.com.";
const ATTRIBUTION_FILE = "ATTRIBUTION.txt";
const MAX_DOWNLOAD_BYTES = 128 * 1_024 * 1_024;
const TIMEOUT_MS = 300_000;

/** Each with what its type says, and addresses that any such database knows. */
const DATABASES = [
  { name: "dbip-country-lite", type: /country/i, member: "country" },
  { name: "dbip-asn-lite", type: /asn/i, member: "asNumber" },
] as const;
const KNOWN_ADDRESSES = ["1.1.1.1", "8.8.8.8", "9.9.9.9", "193.0.0.1"];

/** The download failed, or what came is not what it has to be. */
export class GeoUpdateError extends Error {
  override readonly name = "GeoUpdateError";
}

export interface UpdatedDatabase {
  readonly file: string;
  readonly type: string;
  /** ms */
  readonly builtAt: number;
  readonly bytes: number;
}

export interface GeoUpdate {
  readonly databases: readonly UpdatedDatabase[];
  readonly attribution: string;
}

function limitBytes(most: number, url: string): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > most) done(new GeoUpdateError(`${url}: expected at most ${most} bytes`));
      else done(null, chunk);
    },
  });
}

/** `2026-11` */
function monthOf(now: number, back: number): string {
  const date = new Date(now);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back)).toISOString().slice(0, 7);
}

/** Null: there is none at this URL. */
async function request(url: string): Promise<Response | null> {
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const { message, cause } = error as Error;
    throw new GeoUpdateError(`${url}: ${cause instanceof Error ? cause.message : message}`);
  }
  if (response.ok && response.body) return response;
  await response.body?.cancel();
  if (response.status === 404) return null;
  throw new GeoUpdateError(`${url}: expected status 200, got ${response.status}`);
}

/** The database of this month, or of the last one: a new one may come some days late. */
async function requestNewest(source: string, name: string, now: number): Promise<Response> {
  const urls = [0, 1].map((back) => `${source}/${name}-${monthOf(now, back)}.mmdb.gz`);
  for (const url of urls) {
    const response = await request(url);
    if (response) return response;
  }
  throw new GeoUpdateError(`expected a database at ${urls.join(" or ")}, got status 404`);
}

function checkDatabase(database: GeoDatabase, { name, type, member }: (typeof DATABASES)[number]): void {
  if (!type.test(database.type))
    throw new Error(`expected a type such as ${name}, got ${JSON.stringify(database.type)}`);
  const isKnown = KNOWN_ADDRESSES.some((address) => database.find(address)[member] !== undefined);
  if (!isKnown) throw new Error(`expected it to know one of ${KNOWN_ADDRESSES.join(", ")}`);
}

async function updateOne(folder: string, source: string, wanted: (typeof DATABASES)[number], now: number) {
  const file = join(folder, wanted.name + GEO_SUFFIX);
  const staged = `${file}.${process.pid}.new`;
  const { body, url } = await requestNewest(source, wanted.name, now);
  try {
    await pipeline(
      Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]),
      limitBytes(MAX_DOWNLOAD_BYTES, url),
      createGunzip(),
      limitBytes(MAX_DATABASE_BYTES, url),
      createWriteStream(staged, { mode: 0o644, flush: true }),
    );
    const bytes = await readFile(staged);
    const database = openGeoDatabase(bytes);
    checkDatabase(database, wanted);
    await rename(staged, file);
    return { file, type: database.type, builtAt: database.builtAt, bytes: bytes.length };
  } catch (error) {
    await rm(staged, { force: true });
    if (error instanceof GeoUpdateError) throw error;
    throw new GeoUpdateError(`${url}: ${(error as Error).message}`);
  }
}

/** Replaces the databases in a folder, each at once; gates read it again by themselves. `source` is a URL without a slash at the end. */
export async function updateGeo(folder: string, source: string, now: number): Promise<GeoUpdate> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const databases: UpdatedDatabase[] = [];
  for (const wanted of DATABASES) databases.push(await updateOne(folder, source, wanted, now));
  await writeFile(join(folder, ATTRIBUTION_FILE), `${ATTRIBUTION}\n`);
  return { databases, attribution: ATTRIBUTION };
}
