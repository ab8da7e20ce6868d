// Input that would be left out, sent as something else, or remove everything, is refused before anything is done.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { freePort } from "../harness/free-port.ts";
import { PLACE, startApplicationWorld } from "./application-world.ts";

const world = await startApplicationWorld();
after(world.stop);
const { folder, run } = world;

test("an end in the past is refused in the words of the command line", async () => {
  const { code, stderr } = await run(["tokens", "create", "--name", "x", "--expires", "2020-01-01"]);
  const expected = "--expires: expected a time in the future, such as 30d or 2030-01-31";
  assert.deepEqual([code, stderr], [2, `reeve: ${expected}, got "2020-01-01"\n`]);
});

test("reeve api and --input refuse what would be left out, or sent as something else, before a server is asked", async () => {
  const write = (name: string, text: string) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const twice = write("twice.json", '{"rules":[{"role":"OWNER","ro\\u006ce":"VIEWER"}]}');
  const large = write("large.json", '{"limits":[1,{"max":-1e999}]}');
  const nowhere = { REEVE_SERVER: `http://127.0.0.1:${await freePort()}` };
  for (const command of ["api POST /v2/secrets", "teams create delta", "api-keys create --name x --role VIEWER"]) {
    for (const [file, message] of [
      [twice, "rules[0].role: expected once"],
      [large, "limits[1].max: expected a number that is not beyond all that can be stored"],
    ] as const) {
      const { code, stderr } = await run([...command.split(" "), "--input", file], nowhere);
      assert.deepEqual([code, stderr], [2, `reeve: --input: ${file}: ${message}\n`]);
    }
  }
  for (const [line, start] of [
    ['-F body={"a":1,"a":2}', "-F body: a: expected once"],
    ['-F body={"a":[1e999]}', "-F body: a[0]: expected a number"],
    [`-F body=${"9".repeat(400)}`, "-F body: expected a number"],
    ["-f name=A -f name=B", "-f name: expected once; "],
    ["-F name=1 -f name=B", "-F name: expected once; "],
    ["-F name=1 -F name=1", "-F name: expected once; "],
    ["-H X-Name:1 -H x-name:2", "-H x-name: expected once"],
    ["-H Authorization:x", "-H Authorization: "],
    ["-H authorization:x", "-H authorization: "],
    ["-H X-API-Key:x", "-H X-API-Key: "],
  ] as const) {
    for (const request of ["POST /v2/secrets", "GET /v2/secrets"]) {
      const { code, stdout, stderr } = await run(`api ${request} ${line}`.split(" "), nowhere);
      assert.deepEqual([code, stdout, stderr.startsWith(`reeve: ${start}`)], [2, "", true], `${line}: ${stderr}`);
    }
  }
  assert.match((await run("api GET /v2/user -H Authorization:x".split(" "), nowhere)).stderr, /REEVE_TOKEN.*context/);
});

test("a file without any value is pushed with --allow-empty alone, in every form", async () => {
  await world.set("production", { PORT: { value: "1" } });
  const versionNow = async () => {
    const response = await world.call("GET", "/v1/environments/shop/production?slug=acme");
    return ((await response.json()) as { version: number }).version;
  };
  const before = await versionNow();
  const file = join(folder, "none");
  const forms = { dotenv: "# none\n", json: "{}", yaml: "{}", shell: "\n", kubernetes: "kind: Secret\n" };
  for (const [format, text] of Object.entries(forms)) {
    writeFileSync(file, text);
    const push = ["env", "push", file, ...PLACE, "--format", format, "--yes"];
    for (const more of [[], ["--prune"], ["--prune", "--dry-run"]]) {
      const { code, stdout, stderr } = await run([...push, ...more]);
      const message = `reeve: ${file} has no values: --allow-empty goes on without any\n`;
      assert.deepEqual([code, stdout, stderr], [3, "", message]);
    }
  }
  const piped = await run(["env", "push", "-", ...PLACE, "--prune", "--yes"]);
  assert.deepEqual(
    [piped.code, piped.stderr],
    [3, "reeve: standard input has no values: --allow-empty goes on without any\n"],
  );
  assert.equal(await versionNow(), before);
  writeFileSync(file, "");
  const { code, stderr } = await run(["env", "push", file, ...PLACE, "--prune", "--allow-empty", "--yes"]);
  assert.equal(code, 0, stderr);
  assert.equal(await versionNow(), before + 1);
});
