// `reeve gate geo update`: what it downloads, what it refuses, and that nothing is replaced by what cannot be used.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { GeoUpdateError, updateGeo } from "../../../src/gate/geo/geo-update.ts";
import { freePort } from "../../harness/free-port.ts";
import { listenOn } from "../gate-world.ts";
import { COUNTRIES, NETWORKS, makeMmdb } from "./mmdb.ts";

const NOW = Date.UTC(2026, 0, 15);

/** What is served by path; a number is a status. */
const served = new Map<string, Buffer | number>();
const asked: string[] = [];
const mirror = await listenOn(({ url = "" }, response) => {
  asked.push(url);
  const answer = served.get(url) ?? 404;
  if (typeof answer === "number") response.writeHead(answer).end();
  else response.end(answer);
});
// A slow disk reads slowly, and a connection that is closed as idle meanwhile is a failed download.
mirror.server.keepAliveTimeout = 0;

function serve(files: Readonly<Record<string, Buffer | number>>): void {
  served.clear();
  asked.length = 0;
  for (const [name, answer] of Object.entries(files)) served.set(`/${name}`, answer);
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "reeve-geo-test-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "geo");
}

const country = (month: string) => `dbip-country-lite-${month}.mmdb.gz`;
const asn = (month: string) => `dbip-asn-lite-${month}.mmdb.gz`;

describe("geo update", () => {
  it("downloads the databases of the month, with their attribution", async () => {
    serve({ [country("2026-01")]: gzipSync(COUNTRIES), [asn("2026-01")]: gzipSync(NETWORKS) });
    const folder = newFolder();
    const { databases, attribution } = await updateGeo(folder, mirror.url, NOW);
    assert.deepEqual(
      databases.map(({ file, type, bytes }) => [file, type, bytes]),
      [
        [join(folder, "dbip-country-lite.mmdb"), "DBIP-Country-Lite", COUNTRIES.length],
        [join(folder, "dbip-asn-lite.mmdb"), "DBIP-ASN-Lite", NETWORKS.length],
      ],
    );
    assert.deepEqual(readFileSync(join(folder, "dbip-country-lite.mmdb")), COUNTRIES);
    assert.deepEqual(readdirSync(folder).toSorted(), [
      "ATTRIBUTION.txt",
      "dbip-asn-lite.mmdb",
      "dbip-country-lite.mmdb",
    ]);
    assert.equal(readFileSync(join(folder, "ATTRIBUTION.txt"), "utf8"), `${attribution}\n`);
    assert.match(attribution, /DB-IP.*Attribution 4\.0.*link back/);
  });

  it("takes those of the month before while there are none of this one", async () => {
    serve({ [country("2025-12")]: gzipSync(COUNTRIES), [asn("2026-01")]: gzipSync(NETWORKS) });
    await updateGeo(newFolder(), mirror.url, NOW);
    assert.deepEqual(asked, [`/${country("2026-01")}`, `/${country("2025-12")}`, `/${asn("2026-01")}`]);
  });

  it("keeps what was there when what comes cannot be used, and says why", async () => {
    const known = makeMmdb("DBIP-Country-Lite", { "203.0.113.0/24": { country: { iso_code: "FR" } } });
    const cases: readonly (readonly [Buffer | number, RegExp])[] = [
      [404, /expected a database at .*2026-01.* or .*2025-12.*404/],
      [503, /expected status 200, got 503/],
      [COUNTRIES, /incorrect header check/],
      [gzipSync(COUNTRIES).subarray(0, -20), /unexpected end/],
      [gzipSync(COUNTRIES.subarray(0, -200)), /MMDB/],
      [gzipSync("<html>"), /MMDB/],
      [gzipSync(NETWORKS), /expected a type such as dbip-country-lite, got "DBIP-ASN-Lite"/],
      [gzipSync(known), /expected it to know one of 1\.1\.1\.1/],
    ];
    for (const [answer, expected] of cases) {
      const folder = newFolder();
      serve({ [country("2026-01")]: gzipSync(COUNTRIES), [asn("2026-01")]: gzipSync(NETWORKS) });
      await updateGeo(folder, mirror.url, NOW);
      writeFileSync(join(folder, "dbip-country-lite.mmdb"), known);
      serve({ [country("2026-01")]: answer, [asn("2026-01")]: gzipSync(NETWORKS) });
      await assert.rejects(updateGeo(folder, mirror.url, NOW), (error: Error) => {
        assert.ok(error instanceof GeoUpdateError, String(error.stack));
        assert.match(error.message, expected);
        return true;
      });
      assert.deepEqual(readFileSync(join(folder, "dbip-country-lite.mmdb")), known, String(expected));
      assert.equal(readdirSync(folder).length, 3, String(expected));
    }
  });

  it("takes no more than a bound, however well it was compressed", async () => {
    serve({ [country("2026-01")]: gzipSync(Buffer.alloc(257 * 1_024 * 1_024), { level: 1 }) });
    const folder = newFolder();
    await assert.rejects(updateGeo(folder, mirror.url, NOW), /expected at most 268435456 bytes/);
    assert.deepEqual(readdirSync(folder), []);
  });

  it("names what cannot be reached", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await assert.rejects(updateGeo(newFolder(), url, NOW), /http:.*dbip-country-lite.*ECONNREFUSED/);
  });
});
