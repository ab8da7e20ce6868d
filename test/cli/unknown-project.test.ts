// Missing is not the same as empty: a read about a project that is not there is refused with the one that was perhaps meant, by every command
// that takes one; and a change that begins a project says so.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fieldsOf } from "../../src/cli/resources/fields.ts";
import { positionalsOf } from "../../src/cli/resources/call-input.ts";
import { endpointOf } from "../../src/cli/resources/operation-command.ts";
import { RESOURCES } from "../../src/cli/resources/resources.ts";
import { isMutation } from "../../src/platform/kernel/contract.ts";
import { startApplicationWorld } from "./application-world.ts";

const world = await startApplicationWorld();
after(world.stop);
const { folder, run, server } = world;
await world.set("production", { STAGE: { value: "production" } });
const requests = join(folder, "requests.json");
writeFileSync(requests, '{"requests":[{"url":"https://shop.test/"}]}');

const READS = RESOURCES.flatMap(({ name, commands }) =>
  Object.entries(commands).flatMap(([verb, row]) => {
    if ("load" in row) return [];
    const endpoint = endpointOf(row.operation);
    const isChange = isMutation(endpoint) && endpoint.method !== "DELETE";
    if (isChange || !fieldsOf(endpoint).some(({ isPlace }) => isPlace)) return [];
    const args = positionalsOf(row, endpoint).map(() => "active");
    const body = endpoint.body === undefined ? [] : ["--input", requests];
    return [[name, ...verb.split(" "), ...args, ...body, "-t", "acme", ...(row.confirm ? ["--yes"] : [])]];
  }),
);

test("a read about a project that is not there says so, with the one that was perhaps meant", async () => {
  const own = ["list", `update x --input ${requests}`, "enable x", "disable x", "move x --first", "remove x --yes"];
  for (const words of own) READS.push(["firewall", "rules", ...words.split(" "), "-t", "acme"]);
  assert.ok(READS.length >= 12, READS.join("\n"));
  const refusal = `reeve: ${server.url} has no project "shpo" for this credential (-p); did you mean shop?\n`;
  for (const line of READS) {
    assert.deepEqual(await run([...line, "-p", "shpo"]), { code: 6, stdout: "", stderr: refusal }, line.join(" "));
  }
  const { code, stderr } = await run(["firewall", "versions", "-t", "acme"], { REEVE_PROJECT: "shpo" });
  assert.deepEqual([code, stderr], [6, refusal.replace("(-p)", "(REEVE_PROJECT)")]);
  for (const line of ["versions", "bypasses list", "attack-mode view", "traffic actions"]) {
    const there = await run(["firewall", ...line.split(" "), "-t", "acme", "-p", "shop"]);
    assert.deepEqual([there.code, there.stderr], [0, ""], line);
  }
});

test("a change that begins a project says so, and a later one does not", async () => {
  const file = join(folder, "firewall.json");
  writeFileSync(file, '{"firewallEnabled":true}');
  const rule = ["--name", "admin", "--condition", "path pre /admin"];
  for (const [project, ...line] of [
    ["begun-1", "firewall", "put", "--input", file, "-p", "begun-1"],
    ["begun-2", "firewall", "attack-mode", "on", "-p", "begun-2"],
    ["begun-3", "firewall", "rules", "add", ...rule, "-p", "begun-3"],
    ["begun-4", "environments", "create", "begun-4", "staging"],
    ["shpo", "firewall", "put", "--input", file, "-p", "shpo"],
  ] as const) {
    const hint = project === "shpo" ? "; did you mean shop?" : "";
    const said = new RegExp(`^There is no project ${project} yet: the change begins it(.*)$`, "m");
    const begun = await run([...line, "-t", "acme"]);
    assert.equal(begun.code, 0, begun.stderr);
    const [, end = "nothing"] = said.exec(begun.stderr) ?? [];
    assert.ok(hint === "" ? end !== "nothing" : end === hint, `${line.join(" ")}: ${begun.stderr}`);
    assert.doesNotMatch((await run([...line, "-t", "acme"])).stderr, said);
  }
});

test("a project, an environment or a team in the path that is not there is named with the one that was perhaps meant", async () => {
  const none = `reeve: ${server.url} has no`;
  for (const [line, refusal] of [
    ["environments list shopp -t acme", `project "shopp" for this credential (<project>); did you mean shop?`],
    [
      "environments view shopp production -t acme",
      `project "shopp" for this credential (<project>); did you mean shop?`,
    ],
    [
      "environments view shop producton -t acme",
      `environment "producton" of shop for this credential (<environment>); did you mean production?`,
    ],
    ["environments list shop -t acm", `team "acm" for this credential (-t); did you mean acme?`],
    ["members list -t acm", `team "acm" for this credential (-t); did you mean acme?`],
    ["secrets list --team acm", `team "acm" for this credential (--team); did you mean acme?`],
    ["teams view acm", `team "acm" for this credential (<team>); did you mean acme?`],
  ] as const) {
    assert.deepEqual(await run(line.split(" ")), { code: 6, stdout: "", stderr: `${none} ${refusal}\n` }, line);
  }
});
