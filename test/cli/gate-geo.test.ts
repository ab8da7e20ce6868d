// `reeve gate geo update` as a process: where it writes, what it prints, and its exit codes.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { COUNTRIES, NETWORKS } from "../gate/geo/mmdb.ts";
import { listenOn } from "../gate/gate-world.ts";
import { runReeve } from "./in-process.ts";

const mirror = await listenOn(({ url = "" }, response) => {
  if (url.startsWith("/dbip-country-lite-")) response.end(gzipSync(COUNTRIES));
  else if (url.startsWith("/dbip-asn-lite-")) response.end(gzipSync(NETWORKS));
  else response.writeHead(404).end();
});
const folder = mkdtempSync(join(tmpdir(), "reeve-geo-cli-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("the databases are written where gates read them, and the attribution is printed", async () => {
  const environment = { REEVE_GATE_DIR: folder };
  const shown = await runReeve(["gate", "geo", "update", "--url", mirror.url], {}, environment);
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /dbip-country-lite\.mmdb +DBIP-Country-Lite +2026-11-01/);
  assert.match(shown.stdout, /IP Geolocation by DB-IP \(https:\/\/db-ip\.com\)/);
  assert.ok(existsSync(join(folder, "geo/dbip-asn-lite.mmdb")));
  const dir = join(folder, "elsewhere");
  const { stdout } = await runReeve(
    ["gate", "geo", "update", "--json", "--geo-dir", dir, "--url", `${mirror.url}/`],
    {},
  );
  const updated = JSON.parse(stdout) as { dir: string; databases: readonly { file: string }[] };
  assert.deepEqual([updated.dir, updated.databases.length], [dir, 2]);
});

test("what cannot be downloaded ends with 69, and a wrong URL with 2", async () => {
  const missing = await runReeve(["gate", "geo", "update", "--geo-dir", folder, "--url", `${mirror.url}/none`], {});
  assert.deepEqual([missing.code, missing.stdout], [69, ""]);
  assert.match(missing.stderr, /expected a database at .*none\/dbip-country-lite-.*--url/);
  const help = await runReeve(["gate", "geo", "update", "--help"], {});
  assert.match(help.stdout, /--geo-dir /);
  assert.doesNotMatch(help.stdout, /--upstream|--hosts/);
  assert.match((await runReeve(["gate", "--help"], {})).stdout, /REEVE_GATE_REDIS_URL .*REEVE_GATE_RATE_LIMIT_SECRET/s);
  const wrong = await runReeve(["gate", "geo", "update", "--url", "ftp://example.com"], {});
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /--url: expected a URL with http: or https:/);
  const denied = await runReeve(["gate", "geo", "update", "--url", mirror.url, "--geo-dir", "/dev/null/geo"], {});
  assert.equal(denied.code, 69);
  assert.match(denied.stderr, /REEVE_GATE_GEO_DIR/);
});
