// The files of deploy/gate/ for Traefik and Envoy, which no test runs: each removes what a client may not claim, but for what the program
// itself sets.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { CLAIMS } from "../../src/gate/requests/claims.ts";

const FORWARDED = ["x-forwarded-for", "x-forwarded-proto"];
const FILES = {
  "traefik.yaml": {
    line: /^ +([\w-]+): ""$/gm,
    own: [...FORWARDED, "x-forwarded-host", "x-forwarded-port", "x-forwarded-server", "x-real-ip"],
  },
  // The decision and X-Real-IP overwrite what a client says.
  "envoy.yaml": {
    line: /^ +- ([\w-]+)$/gm,
    own: [...FORWARDED, "x-reeve-decision", "x-real-ip", "x-envoy-external-address", "x-forwarded-client-cert"],
  },
};

for (const [file, { line, own }] of Object.entries(FILES)) {
  it(`${file} removes what a client may not claim`, () => {
    const text = readFileSync(new URL(`../../deploy/gate/${file}`, import.meta.url), "utf8");
    const removed = new Set([...own, ...text.matchAll(line).map(([, name = ""]) => name.toLowerCase())]);
    const claimed = [...CLAIMS.flatMap(({ names }) => names), "x-reeve-retry-after", "http2-settings"];
    assert.deepEqual(
      claimed.filter((name) => !removed.has(name)),
      [],
    );
  });
}
