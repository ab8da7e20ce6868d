// What people read of commands: tables with ids that can be copied, and refusals that name what was typed.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startApplicationWorld } from "./application-world.ts";

const world = await startApplicationWorld();
after(world.stop);
const run = async (line: string) => await world.run(line.split(" "));

async function succeed(line: string): Promise<string> {
  const { code, stdout, stderr } = await run(line);
  assert.equal(code, 0, stderr);
  return stdout;
}

test("a table of 80 columns has ids whole and at its end, and times as people say them", async () => {
  const { id } = JSON.parse(await succeed("teams view acme --json id"));
  await succeed(`teams update acme --name ${"Long".repeat(20)}`);
  const { stdout } = await world.run(["teams", "list"], {}, { columns: 80 });
  const row = stdout.split("\n").find((one) => one.includes(id)) ?? stdout;
  assert.match(row, new RegExp(`acme +LongLong[^ ]*… +(?:just now|\\d+ minutes? ago) +${id}$`));
  assert.ok(Array.from(row).length <= 80, row);
  assert.match(await succeed("teams list --json createdAt --limit 1"), /"createdAt":\d{13}/);
  await succeed("teams update acme --name Acme");
});

test("what the server refuses is named by the flag or the argument that gave it", async () => {
  for (const [line, message] of [
    ["teams create BAD!", /refuses: <slug>: expected /],
    ["teams update acme --slug BAD!", /refuses: --slug: expected /],
    ["invites create --team acme --max-uses 0", /refuses: --max-uses: expected /],
    ["webhooks create https://hooks.example.com/ --team acme --events no-such-event", /refuses: --events: /],
  ] as const) {
    const { code, stderr } = await run(line);
    assert.deepEqual([code, message.test(stderr)], [3, true], `${line}: ${stderr}`);
  }
  const both = await run("webhooks deliveries --team acme --failed --state delivered");
  assert.deepEqual(
    [both.code, /'--failed' cannot be used with option '--state/.test(both.stderr)],
    [2, true],
    both.stderr,
  );
});
