// The jobs that the console writes out for a trust rule, as their platforms run them: in real shells, against a started server, with
// signed tokens of an issuer.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parse } from "yaml";
import { JOBS, platformOf } from "../../console/pages/trust-rules/job-snippets.ts";
import type { UsedTrustRule } from "../../console/pages/trust-rules/job-snippets.ts";
import { openWorkload } from "../resources/workload.ts";
import { readMasks, runShell } from "./ci-scripts.ts";
import type { Variables } from "./ci-scripts.ts";
import { startJobTokens } from "./job-tokens.ts";
import { startListeningApp } from "./started-app.ts";

const started = await startListeningApp({ egressAllow: "127.0.0.1" });
const { url: server, admin, createTeam, request, app } = started;
after(async () => await app.close());
await createTeam(admin, "acme");
const { github: issuer, claimsNow, trustRuleBody } = await openWorkload(started);
const set = { PASSWORD: { secretValue: "swordfish" } };
for (const [method, body] of [
  ["POST", { name: "live" }],
  ["PATCH", { environments: { live: { set } } }],
] as const) {
  const { status, text } = await request(method, "/v1/environments/shop?slug=acme", { body });
  assert.equal(status, 200, text);
}

const folder = mkdtempSync(join(tmpdir(), "reeve-job-"));
after(() => rmSync(folder, { recursive: true }));
const command = (name: string, lines: string) =>
  writeFileSync(join(folder, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
command("reeve", `exec "${process.execPath}" "${join(import.meta.dirname, "../../bin/reeve.js")}" "$@"`);
command("deploy.sh", 'printf "deployed with %s" "$PASSWORD"');

/** An audience that a shell or YAML could take for something else. */
const AUDIENCE = `https://reeve.test/?a='b'&c="$HOME" # d: e`;

const JOB = await startJobTokens((aud) => issuer.sign(claimsNow({ aud })));

async function makeRule(change: object): Promise<UsedTrustRule> {
  const made = await request("POST", "/v1/identity/trusts?slug=acme", {
    body: trustRuleBody({ audience: AUDIENCE, ...change }),
  });
  assert.equal(made.status, 200, made.text);
  return made.body.trust;
}

async function run(shell: string, args: readonly string[], script: string, variables: Variables = {}) {
  const all = [...args, `cd "${folder}"; PATH="$PATH:${folder}"\n${script}`];
  const ended = await runShell(shell, all, { HOME: folder, ...variables });
  assert.equal(ended.code, 0, ended.stderr);
  assert.doesNotMatch(ended.visible, /rvk_|eyJ|a-token/, "a command line shows a credential");
  return ended;
}

/** What each job prints in the end. */
const RUN: Readonly<Record<keyof typeof JOBS, (job: string) => Promise<string>>> = {
  async github(job) {
    const { deploy } = parse(job);
    assert.equal(deploy.permissions["id-token"], "write");
    const [, exchange, use] = deploy.steps;
    const file = join(folder, "github-env");
    const variables = {
      ...deploy.env,
      GITHUB_ENV: file,
      ...JOB,
    };
    const bash = ["--noprofile", "--norc", "-eo", "pipefail", "-c"];
    const { stdout } = await run("bash", bash, `${exchange.run}\ncat "${file}"; rm "${file}"`, variables);
    const lines = stdout.split("\n");
    const [, key = ""] = /^REEVE_TOKEN=(rvk_\w+)$/.exec(lines.find((line) => line.startsWith("REEVE")) ?? "") ?? [];
    const [idToken, masked] = readMasks(lines.filter((line) => line.startsWith("::")).join("\n"));
    assert.deepEqual([idToken?.slice(0, 3), masked], ["eyJ", key]);
    return (await run("bash", ["-e", "-c"], use.run, { ...deploy.env, REEVE_TOKEN: key })).stdout;
  },
  async gitlab(job) {
    const { deploy } = parse(job);
    const ID_TOKEN = await issuer.sign(claimsNow({ aud: deploy.id_tokens.ID_TOKEN.aud }));
    return (await run("sh", ["-e", "-c"], deploy.script.join("\n"), { ...deploy.variables, ID_TOKEN })).stdout;
  },
  async kubernetes(job) {
    const { spec } = parse(job);
    const [{ command: shell, args, env, volumeMounts }] = spec.containers;
    const [{ serviceAccountToken }] = spec.volumes[0].projected.sources;
    writeFileSync(join(folder, "token"), await issuer.sign(claimsNow({ aud: serviceAccountToken.audience })));
    const script = args[0].replaceAll(`${volumeMounts[0].mountPath}/`, `${folder}/`);
    return (await run(shell[0], [shell[1]], script, { [env[0].name]: env[0].value })).stdout;
  },
  async other(job) {
    const ID_TOKEN = await issuer.sign(claimsNow({ aud: AUDIENCE }));
    return (await run("sh", ["-e", "-c"], job, { ID_TOKEN })).stdout;
  },
};

for (const [platform, runJob] of Object.entries(RUN)) {
  const write = JOBS[platform as keyof typeof JOBS];
  test(`the job for ${platform} runs a program with values, or asks what its key may do`, async () => {
    const limits = { projects: ["shop"], environments: ["live"] };
    const reads = await makeRule({ permissions: ["environment:read", "secret:reveal"], ...limits });
    assert.equal(await runJob(write({ server, team: "acme", trust: reads })), "deployed with swordfish");
    const narrow = await makeRule({ name: `For ${platform}`, permissions: ["event:read"] });
    const asked = JSON.parse(await runJob(write({ server, team: "acme", trust: narrow })));
    assert.deepEqual(asked.apiKey.permissions, ["event:read"]);
    assert.ok(asked.apiKey.name.startsWith(`For ${platform}`), "the key is of another rule");
  });
}

test("a job is first written for the platform that the rule tells of, with its environment or service account", () => {
  const trust = (issuerUrl: string, claims: UsedTrustRule["claims"]): UsedTrustRule => ({
    id: "trust_1",
    issuer: issuerUrl,
    audience: "https://reeve.example.com",
    claims,
    permissions: ["team:read"],
    projects: null,
    environments: null,
  });
  const own = "https://issuer.example.com";
  const github = "https://token.actions.githubusercontent.com";
  for (const [one, platform] of [
    [trust(github, { sub: "x" }), "github"],
    [trust(`${github}/acme`, { sub: "x" }), "github"],
    [trust("https://gitlab.com", { project_id: "42" }), "gitlab"],
    [trust(own, { sub: "project_path:acme/shop:ref_type:branch:ref:main" }), "gitlab"],
    [trust(own, { '["kubernetes.io","namespace"]': "shop" }), "kubernetes"],
    [trust(own, { sub: ["system:serviceaccount:shop:*"] }), "kubernetes"],
    [trust(own, { sub: "build:acme", n: 1 }), "other"],
  ] as const) {
    assert.equal(platformOf(one), platform);
  }
  const write = (platform: keyof typeof JOBS, sub: string | string[]) =>
    parse(JOBS[platform]({ server, team: "acme", trust: trust(own, { sub }) }));
  assert.equal(write("github", "repo:acme/shop:environment:production").deploy.environment, "production");
  assert.ok(!("environment" in write("github", ["repo:acme/shop:environment:*", "repo:acme/shop:ref:x"]).deploy));
  const pod = write("kubernetes", ["a:b", "system:serviceaccount:shop:deployer"]);
  assert.deepEqual([pod.metadata.namespace, pod.spec.serviceAccountName], ["shop", "deployer"]);
  assert.equal(write("kubernetes", "system:serviceaccount:shop:*").metadata.namespace, "NAMESPACE");
});
