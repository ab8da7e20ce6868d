// Proxies that compress a response change its entity tag: they weaken it, or add the name of the encoding. What comes back in
// `If-Match` and `If-None-Match` names the same state. Listed are the forms of nginx, HAProxy, Apache, Caddy, Jetty, LiteSpeed and IIS.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openEnvironments } from "../resources/environments.ts";
import { startTestApp, uniqueName } from "../harness/test-app.ts";

const app = await startTestApp();
const { createTeam, createUser, request } = app;

/** What a client has of `"tag"` behind a proxy. */
const changedForms = (etag: string): readonly string[] => {
  const tag = etag.slice(1, -1);
  const suffixes = ["-gzip", "-br", "-zstd", "-deflate", "--gzip", ";gzip", ";br", ";gz", ":gzip"];
  return [
    `W/${etag}`,
    ...suffixes.flatMap((suffix) => [`"${tag}${suffix}"`, `W/"${tag}${suffix}"`]),
    `"other", W/${etag}`,
    `"other","${tag}-gzip" , "another"`,
    "*",
  ];
};

/** Tags of other states, although they contain the right one. */
const otherForms = (etag: string): readonly string[] => {
  const tag = etag.slice(1, -1);
  return [
    `"${tag}0"`,
    `"${tag}-x"`,
    `"${tag}gzip"`,
    `"-gzip"`,
    `"x${tag}-gzip"`,
    `"${tag}-gzip-gzip"`,
    tag,
    `W/${tag}`,
    `"${tag}`,
    "",
  ];
};

test("a change succeeds with every form of the tag that a proxy makes, and with no other", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const rename = (ifMatch: string) =>
    request("PATCH", `/v2/teams/${team.id}`, {
      token: owner.token,
      body: { name: uniqueName("Team") },
      headers: { "if-match": ifMatch },
    });
  let { etag } = (await request("GET", `/v2/teams/${team.id}`, owner)).headers;
  for (const at of changedForms('"1"').keys()) {
    const ifMatch = changedForms(String(etag))[at] as string;
    const changed = await rename(ifMatch);
    assert.equal(changed.status, 200, ifMatch);
    ({ etag } = changed.headers);
  }
  for (const ifMatch of otherForms(String(etag))) {
    const refused = await rename(ifMatch);
    assert.deepEqual([refused.status, refused.headers["etag"]], [412, etag], ifMatch);
  }
});

test("what is unchanged is not sent again, whichever form of its tag a proxy made", async () => {
  const owner = await createUser();
  const env = openEnvironments(app, owner.token, "shop");
  await env.set("production", { LEVEL: { value: "info" } });
  const { token } = owner;
  const document = (tag: string, encoding: string) =>
    app.app.server.inject({ url: "/openapi.json", headers: { "if-none-match": tag, "accept-encoding": encoding } });
  const reads: Record<string, (tag: string) => Promise<{ readonly status: number; readonly etag: unknown }>> = {
    async values(tag) {
      const { status, headers } = await env.values("production", "", { "if-none-match": tag });
      return { status, etag: headers["etag"] };
    },
    async bundle(tag) {
      const url = "/v1/gate/bundle?projectId=shop";
      const { status, headers } = await request("GET", url, { token, headers: { "if-none-match": tag } });
      return { status, etag: headers["etag"] };
    },
    async document(tag) {
      const { statusCode: status, headers } = await document(tag, "");
      return { status, etag: headers["etag"] };
    },
    async compressed(tag) {
      const { statusCode: status, headers } = await document(tag, "gzip");
      return { status, etag: headers["etag"] };
    },
  };
  for (const [name, read] of Object.entries(reads)) {
    const etag = String((await read('"none"')).etag);
    for (const tag of changedForms(etag)) assert.equal((await read(tag)).status, 304, `${name} ${tag}`);
    for (const tag of otherForms(etag)) assert.equal((await read(tag)).status, 200, `${name} ${tag}`);
  }
});
