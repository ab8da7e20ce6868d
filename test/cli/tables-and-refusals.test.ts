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

/** Why a line is refused, without the server. */
async function refusalOf(line: string, exit = 6, more = {}): Promise<string> {
  const { code, stdout, stderr } = await world.run(line.split(" "), more);
  assert.deepEqual([code, stdout], [exit, ""], `${line}: ${stderr}`);
  const { url } = world.server;
  return stderr
    .replaceAll(` --server ${url}`, "")
    .replaceAll(url, "SERVER")
    .replace(/^reeve: /, "")
    .trim();
}

test("what is not found is named with the command that lists what is there", async () => {
  await world.set("production", { STAGE: { value: "production" } });
  const place = "--team acme --project shop";
  const there = "lists those that there are";
  for (const [line, said] of [
    [
      "secrets reveal NOPE --team acme",
      `Secret not found: "NOPE" (<name>); \`reeve secrets list --team acme\` ${there}`,
    ],
    ["secrets versions view NOPE 1 --team acme", `Secret not found: \`reeve secrets list --team acme\` ${there}`],
    [
      "webhooks view hook_1 --team acme",
      `Webhook not found: "hook_1" (<webhook-id>); \`reeve webhooks list --team acme\` ${there}`,
    ],
    [
      "webhooks delivery hook_1 dlv_1 --team acme",
      `Webhook not found: "hook_1" (<webhook-id>); \`reeve webhooks list --team acme\` ${there}`,
    ],
    ["tokens view tok_1", `Access token not found: "tok_1" (<token-id>); \`reeve tokens list\` ${there}`],
    [
      `firewall view 99 ${place}`,
      `Firewall configuration not found: "99" (<config-version>); \`reeve firewall versions ${place}\` ${there}`,
    ],
    [
      `firewall rules list --version 99 ${place}`,
      `Firewall configuration not found: \`reeve firewall versions ${place}\` ${there}`,
    ],
    [
      `firewall discard --yes ${place}`,
      `Firewall draft not found: the first change of one begins it (PATCH /v1/firewalls/draft, or \`reeve firewall rules add --draft ${place}\`)`,
    ],
    [
      "environments versions view shop production 99 --team acme",
      `Version 99 not found: \`reeve environments versions list shop production --team acme\` ${there}`,
    ],
  ] as const) {
    assert.equal(await refusalOf(line), `SERVER refuses: ${said}`, line);
  }
  assert.match(
    await refusalOf("members view ada@example.com --team acme"),
    /; `reeve members list --team acme` lists them$/,
  );
  assert.equal(
    await refusalOf("environments view shop quality --team acme"),
    'SERVER has no environment "quality" of shop for this credential (<environment>); ' +
      `\`reeve environments list shop --team acme\` ${there}`,
  );
  assert.equal(
    await refusalOf("projects view nowhere --team acme"),
    `SERVER has no project "nowhere" for this credential (<id-or-name>); \`reeve projects list --team acme\` ${there}`,
  );
  assert.match(
    await refusalOf("events publish my.event --team acme", 3),
    /; `reeve events types --team acme` lists them all/,
  );
});

test("without a team, a refusal says where the server looked, and a change says what it was about", async () => {
  assert.equal(
    await refusalOf("secrets reveal STAGE"),
    'SERVER refuses: Secret not found: "STAGE" (<name>); it looked in your own account: --team names a team; ' +
      "`reeve secrets list` lists those that there are",
  );
  assert.match(
    await refusalOf("projects view shop"),
    /; without --team it looked in what the credential itself owns; /,
  );
  const about = async (line: string) => {
    const { code, stderr } = await run(line);
    assert.equal(code, 0, stderr);
    return stderr.trim().split("\n").at(-1);
  };
  const own = "the credential's own account or team";
  const both = `This was about the project default of ${own}: --team and --project name others.`;
  assert.equal(await about("firewall attack-mode on"), both);
  assert.equal(
    await about("firewall attack-mode off --team acme"),
    "This was about the project default of acme: --project names another.",
  );
  assert.equal(await about("firewall attack-mode off --team acme --project shop --json"), "");
  assert.equal(await about("firewall attack-mode off --team acme --project shop"), "");
  const push = ["env", "push", "-", "--project", "shop", "--env", "production", "--yes"];
  const pushed = await world.run(push, {}, { input: "A=1" });
  assert.match(pushed.stderr, new RegExp(`\nThis was about the project shop of ${own}: --team names another\\.\n$`));
  assert.equal(await about("secrets generate OWN"), `This was about ${own}: --team names another.`);
});

test("a server's URL with a path below which there is no API, or with TLS where there is none, is answered with that", async () => {
  const { url } = world.server;
  for (const line of ["secrets list", "whoami"]) {
    assert.equal(
      await refusalOf(line, 3, { REEVE_SERVER: `${url}/api` }),
      "there is no Reeve API below /api of SERVER: try SERVER",
    );
  }
  const tls = url.replace("http:", "https:");
  assert.equal(
    await refusalOf("secrets list", 69, { REEVE_SERVER: tls }),
    `cannot reach ${tls}: it does not speak TLS there: use http: or another port`,
  );
});

test("a required flag with few values is asked for with them", async () => {
  const { code, stderr } = await run("api-keys create --name ci");
  assert.equal(code, 2);
  assert.match(
    stderr,
    /^reeve: --role: expected OWNER, MEMBER, .*, CONTRIBUTOR \(or the body as JSON with --input\)\n$/,
  );
});
