// Databases of countries and networks: what rules read of them, and what happens when a file is replaced, broken or missing.
import assert from "node:assert/strict";
import { renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openGeoDatabase } from "../../../src/gate/geo/geo-database.ts";
import { createGeoFolder } from "../../../src/gate/geo/geo-folder.ts";
import { SILENT, sendTo, startGateWorld } from "../gate-world.ts";
import { COUNTRIES, NETWORKS, makeMmdb } from "./mmdb.ts";

const world = await startGateWorld();
const { team } = world;

const deny = (type: string, op: string, value: unknown) => ({
  name: type,
  active: true,
  conditionGroup: [{ conditions: [{ type, op, ...(value !== undefined && { value }) }] }],
  action: { mitigate: { action: "deny" } },
});

function newFolder(files: Readonly<Record<string, Buffer>>): string {
  const folder = world.newFolder();
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  return folder;
}

const CHECK = "/.well-known/reeve/check";

/** Starts a gate for these rules; returns what it answers to a client. */
async function startWith(rules: readonly object[], geoDir: string | null) {
  const project = await world.newProject({ firewallEnabled: true, rules });
  const { url } = await world.startGate({ hosts: [{ host: "*", team: team.slug, project }], geoDir });
  return async (ip: string) => {
    const forwarded = { "x-forwarded-method": "GET", "x-forwarded-host": "shop.test", "x-forwarded-uri": "/" };
    return (await sendTo(url, CHECK, { headers: { ...forwarded, "x-forwarded-for": ip } })).status;
  };
}

describe("rules read where a client is", () => {
  it("by country, continent and number of its network", async () => {
    const geoDir = newFolder({ "country.mmdb": COUNTRIES, "asn.mmdb": NETWORKS });
    const byCountry = await startWith([deny("geo_country", "inc", ["US", "JP"])], geoDir);
    const clients = ["203.0.113.1", "203.0.113.200", "::ffff:203.0.113.200", "2001:db8::7", "198.51.100.1"];
    assert.deepEqual(await Promise.all(clients.map(byCountry)), [204, 403, 403, 403, 204]);
    const byContinent = await startWith([deny("geo_continent", "eq", "EU")], geoDir);
    assert.deepEqual(await Promise.all(clients.map(byContinent)), [403, 204, 204, 204, 204]);
    const byNetwork = await startWith([deny("geo_as_number", "gte", 64_500)], geoDir);
    assert.deepEqual(await Promise.all(["203.0.113.1", "203.0.113.65", "1.1.1.1"].map(byNetwork)), [403, 204, 204]);
  });

  it("by region and city, where the operator has such a database", async () => {
    const geoDir = newFolder({
      "city.mmdb": makeMmdb("GeoLite2-City", {
        "203.0.113.0/24": {
          country: { iso_code: "US" },
          subdivisions: [{ iso_code: "CA", names: { en: "California" } }],
          city: { names: { en: "San Francisco", de: "San Francisco" } },
        },
      }),
    });
    const both = [
      { type: "geo_country_region", op: "eq", value: "CA" },
      { type: "geo_city", op: "pre", value: "san" },
    ];
    const rule = { ...deny("geo_city", "ex", undefined), conditionGroup: [{ conditions: both }] };
    const status = await startWith([rule], geoDir);
    assert.deepEqual([await status("203.0.113.1"), await status("198.51.100.1")], [403, 204]);
  });

  it("and do not match on what is unknown", async () => {
    for (const geoDir of [null, world.newFolder(), join(world.newFolder(), "missing")]) {
      const status = await startWith([deny("geo_country", "ex", undefined)], geoDir);
      assert.equal(await status("203.0.113.1"), 204, String(geoDir));
    }
  });
});

describe("the databases of a folder", () => {
  const logged: string[] = [];
  const log = { ...SILENT, error: (_details: object, message: string) => void logged.push(message) };

  it("are read again when a file has changed, and what cannot be used changes nothing", async () => {
    const folder = newFolder({ "a.mmdb": COUNTRIES, "b.mmdb.part": Buffer.from("no database"), "c.txt": COUNTRIES });
    const geo = createGeoFolder(folder, log);
    const country = () => geo.find("203.0.113.1").country;
    await geo.refresh();
    assert.equal(country(), "DE");
    writeFileSync(
      join(folder, "next"),
      makeMmdb("DBIP-Country-Lite", { "203.0.113.0/24": { country: { iso_code: "FR" } } }),
    );
    renameSync(join(folder, "next"), join(folder, "a.mmdb"));
    await geo.refresh();
    assert.equal(country(), "FR");
    assert.deepEqual(logged, []);
    truncateSync(join(folder, "a.mmdb"), 200);
    await geo.refresh();
    assert.equal(country(), "FR");
    assert.match(logged.join(), /REEVE_GATE_GEO_DIR/);
    rmSync(join(folder, "a.mmdb"));
    await geo.refresh();
    assert.equal(country(), undefined);
  });

  it("complete each other, and the first by name counts", async () => {
    const one = makeMmdb("one", { "203.0.113.0/24": { country_code: "IT", asn: "AS64501" } });
    const folder = newFolder({ "1.mmdb": one, "2.mmdb": COUNTRIES });
    const geo = createGeoFolder(folder, log);
    await geo.refresh();
    assert.deepEqual(geo.find("203.0.113.1"), { continent: "EU", country: "IT", asNumber: "64501" });
    assert.deepEqual([geo.find(undefined), geo.find("no address")], [{}, {}]);
  });

  it("say nothing about an address whose record is broken", async () => {
    const broken = Buffer.from(COUNTRIES);
    broken.fill(0xff, broken.indexOf("continent") - 1, broken.indexOf("continent") + 4);
    const folder = newFolder({ "a.mmdb": broken });
    const geo = createGeoFolder(folder, log);
    await geo.refresh();
    assert.deepEqual(geo.find("1.1.1.1"), {});
    assert.match(logged.at(-1) ?? "", /a record of a geo database cannot be read/);
    assert.equal(geo.find("203.0.113.1").country, "DE");
  });

  it("say what they are and when they were made", () => {
    const { type, builtAt } = openGeoDatabase(COUNTRIES);
    assert.deepEqual([type, builtAt], ["DBIP-Country-Lite", Date.UTC(2026, 10, 1)]);
  });

  it("are refused when they are no such database", () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from("{}"), Buffer.alloc(1_000_000), COUNTRIES.subarray(0, -100)]) {
      assert.throws(() => openGeoDatabase(bytes), /MMDB/, String(bytes.length));
    }
    assert.throws(
      () => openGeoDatabase(COUNTRIES.subarray(COUNTRIES.indexOf("MaxMind.com") - 3)),
      /a part of it is missing/,
    );
  });
});
