// The command line and a server that it reaches over HTTP: with a person's browser between them.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Body } from "../harness/test-app.ts";
import { freePort } from "../harness/free-port.ts";
import { createStorage } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { runReeve, serveReeve, startReeve } from "./in-process.ts";
import type { RunningCommand, Server } from "./in-process.ts";

const storage = await createStorage();
const folder = mkdtempSync(join(tmpdir(), "reeve-remote-"));
const CONTEXTS = join(folder, "reeve", "contexts.json");
const HOME = { XDG_CONFIG_HOME: folder };

let server: Server;
let cookie = "";
let adminToken = "";

before(async () => {
  server = await serveReeve(storage.flags, { REEVE_SERVER: "http://127.0.0.1:9", REEVE_TOKEN: "x".repeat(20) });
  adminToken = server.adminToken as string;
  cookie = await signInAsAdmin();
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
  await storage.remove();
});

async function postForm(url: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  const headers = { "sec-fetch-site": "same-origin", cookie };
  return await fetch(url, { method: "POST", headers, body: new URLSearchParams(fields), redirect: "manual" });
}

/** Opens the first link of the instance as its administrator does, and returns the cookies of the browser. */
async function signInAsAdmin(): Promise<string> {
  const { stdout } = await runReeve(["user", "sign-in-link", "admin", "--json"], storage.flags);
  const { pathname, search } = new URL(JSON.parse(stdout).url);
  const fields = { name: "Ada", email: "ada@example.com", password: "correct horse battery staple" };
  const response = await postForm(server.url + pathname + search, fields);
  assert.equal(response.status, 303, await response.text());
  return response.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
}

/** The code that a waiting `reeve login` shows. */
async function codeOf(waiting: RunningCommand): Promise<string> {
  return await waitFor("the code of a login", () => /^ {2}Code {2}(\S+)/m.exec(waiting.logged())?.[1]);
}

async function decide(userCode: string, fields: Readonly<Record<string, string>> = {}): Promise<void> {
  const choice = { user_code: userCode, action: "approve", team: "", lifetime: "1", ...fields };
  const page = await postForm(`${server.url}/console/device`, choice);
  assert.equal(page.status, 200, await page.text());
}

async function login(args: readonly string[] = []): Promise<Body> {
  const process = startReeve(["login", "--server", server.url, "--json", ...args], {}, HOME);
  await decide(await codeOf(process));
  const { code, stdout, stderr } = await process.ended;
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  runReeve(args, {}, { ...HOME, ...more });

async function statusWith(token: string): Promise<number> {
  return (await fetch(`${server.url}/v2/user`, { headers: { authorization: `Bearer ${token}` } })).status;
}

const storedToken = (name: string): string => JSON.parse(readFileSync(CONTEXTS, "utf8")).contexts[name].token;

/** A server that is no Reeve. */
async function withForeign<T>(listener: RequestListener, work: (url: string) => Promise<T>): Promise<T> {
  const foreign = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => foreign.once("listening", resolve));
  try {
    return await work(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}`);
  } finally {
    foreign.closeAllConnections();
    await new Promise((resolve) => foreign.close(resolve));
  }
}

test("login, whoami and logout: the token is stored for its owner alone, and revoked in the end", async () => {
  const name = new URL(server.url).host;
  const context = await login();
  const { expiresAt, ...rest } = context;
  assert.deepEqual(rest, { name, server: server.url, username: "admin", isCurrent: true });
  assert.ok(Math.abs(expiresAt - Date.now() - 86_400_000) < 3_600_000);
  assert.deepEqual([statSync(CONTEXTS).mode & 0o777, statSync(join(folder, "reeve")).mode & 0o777], [0o600, 0o700]);
  const token = storedToken(name);
  assert.equal(await statusWith(token), 200);

  const identity = JSON.parse((await run(["whoami", "--json"])).stdout);
  assert.deepEqual([identity.server, identity.context, identity.user.username], [server.url, name, "admin"]);
  assert.match(identity.token.name, /^reeve login on /);
  const { stdout } = await run(["whoami"]);
  assert.match(stdout, /^Server +http.*\nContext +.*\nYou are +admin \(ada@example\.com\)\nToken +reeve login on /);
  const listed = await run(["context", "list"]);
  assert.match(listed.stdout, new RegExp(`^ +NAME +SERVER +USER +EXPIRES\\n\\* +${name} +${server.url} +admin `));
  assert.doesNotMatch(listed.stdout + stdout, new RegExp(token));

  await login();
  assert.equal(await statusWith(token), 401, "the earlier token of the context is revoked");
  const second = storedToken(name);
  const out = await run(["logout", "--json"]);
  assert.deepEqual(JSON.parse(out.stdout), { context: name, server: server.url, isRevoked: true });
  assert.equal(await statusWith(second), 401);
  const nobody = await run(["whoami"]);
  assert.deepEqual([nobody.code, nobody.stderr], [5, "reeve: you are not signed in: run `reeve login --server URL`\n"]);
});

test("a token of a login that ends invites nobody; the refusal says which does, and that one invites", async () => {
  const { name } = await login();
  const token = storedToken(name);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const made = await fetch(`${server.url}/v1/teams`, { method: "POST", headers, body: '{"slug":"inviting"}' });
  assert.equal(made.status, 200, await made.text());
  const invite = ["members", "invite", "bob@example.com", "--team", "inviting", "--role", "OWNER"];
  const refused = await run(invite);
  assert.deepEqual([refused.code, refused.stdout], [5, ""]);
  assert.match(
    refused.stderr,
    /the credential of this request expires at 20\d\d-.*, and an invitation would not: use /,
  );
  assert.match(refused.stderr, /; `reeve login --server http\S+` gives one where you choose "Until it is revoked"\n$/);
  const bare = await run(invite, { REEVE_SERVER: server.url, REEVE_TOKEN: token });
  assert.match(bare.stderr, /an invitation would not: .*; REEVE_TOKEN takes another one\n$/);
  const again = startReeve(["login", "--server", server.url], {}, HOME);
  await decide(await codeOf(again), { lifetime: "never" });
  assert.equal((await again.ended).code, 0);
  const invited = await run(invite);
  assert.equal(invited.code, 0, invited.stderr);
  assert.equal((await run(["logout"])).code, 0);
});

test("a request that is refused in the browser ends the login with that sentence", async () => {
  const process = startReeve(["login", "--server", server.url], {}, HOME);
  await decide(await codeOf(process), { action: "refuse" });
  const { code, stdout, stderr } = await process.ended;
  assert.deepEqual([code, stdout], [5, ""]);
  assert.match(stderr, /\nreeve: the request was refused in the browser\n$/);
});

test("a token that was revoked elsewhere is called that, and logout forgets it", async () => {
  const { name } = await login(["--context", "work"]);
  assert.equal(name, "work");
  const headers = { authorization: `Bearer ${storedToken("work")}` };
  await fetch(`${server.url}/v3/user/tokens/current`, { method: "DELETE", headers });
  const who = await run(["whoami", "--json"]);
  assert.equal(who.code, 5);
  const { error } = JSON.parse(who.stderr);
  assert.equal(error.code, "token_revoked");
  assert.match(error.message, /the token of the context work: .*; run `reeve login --server /);
  assert.equal((await run(["logout"])).code, 0);
  assert.deepEqual(JSON.parse((await run(["context", "list", "--json"])).stdout).contexts, []);
});

test("programs use variables, which need no context, and a token goes to its own server alone", async () => {
  const variables = { REEVE_SERVER: `${server.url}/`, REEVE_TOKEN: adminToken };
  const { stdout } = await run(["whoami", "--json"], variables);
  const identity = JSON.parse(stdout);
  assert.deepEqual([identity.context, identity.user.username, identity.token.name], [null, "admin", "Bootstrap"]);
  const file = join(folder, "token");
  writeFileSync(file, `${adminToken}\n`);
  const fromFile = await run(["whoami"], { REEVE_SERVER: server.url, REEVE_TOKEN_FILE: file });
  assert.equal(fromFile.code, 0, fromFile.stderr);
  const alone = await run(["whoami"], { REEVE_TOKEN: adminToken });
  assert.deepEqual([alone.code, /REEVE_TOKEN: set REEVE_SERVER too/.test(alone.stderr)], [78, true]);
  const wrong = await run(["whoami"], { ...variables, REEVE_TOKEN: `${adminToken}x` });
  assert.match(wrong.stderr, /does not accept the token of REEVE_TOKEN/);
  const misspelt = await run(["whoami"], { REEVE_SEVER: server.url });
  assert.match(misspelt.stderr, /REEVE_SEVER: there is no such setting; did you mean REEVE_SERVER\?/);

  const seen: (string | undefined)[] = [];
  const listener: RequestListener = (request, response) => {
    seen.push(request.headers.authorization);
    response.end("hello");
  };
  await withForeign(listener, async (url) => {
    const other = await run(["whoami", "--server", url], variables);
    assert.match(other.stderr, /REEVE_TOKEN is for \S+ \(REEVE_SERVER\) and is not sent to http.*`reeve login/);
    const unnamed = await run(["whoami", "--server", url], { REEVE_TOKEN: adminToken });
    assert.deepEqual([unnamed.code, /REEVE_TOKEN: set REEVE_SERVER too/.test(unnamed.stderr)], [78, true]);
  });
  assert.deepEqual(seen, []);
  const out = await run(["logout"], variables);
  assert.deepEqual([out.code, /REEVE_TOKEN is set, which signing out does not revoke/.test(out.stderr)], [2, true]);
});

test("what is no Reeve, does not answer or leads elsewhere is told in one sentence", async () => {
  const answers: readonly (readonly [RequestListener, RegExp])[] = [
    [
      (_, response) => response.end("<h1>hello</h1>"),
      /^reeve: http\S+ is no Reeve: expected the URL of a Reeve server\n$/,
    ],
    [(_, response) => response.end("{}"), / is no Reeve/],
    [(_, response) => response.writeHead(404).end("{}"), / is no Reeve/],
    [
      (_, response) => response.writeHead(302, { location: "https://x.example" }).end(),
      /redirect to https:\/\/x\.example/,
    ],
    [(_, response) => response.writeHead(503).end('{"error":{"message":"busy"}}'), /can't do this at the moment: busy/],
    [
      (_, response) => response.writeHead(503).end("<h1>Service Unavailable</h1>"),
      /can't do this at the moment: A proxy in front of the server responds with 503: it does not reach the server\n$/,
    ],
    [(request) => request.socket.destroy(), /^reeve: cannot reach http\S+: it closed the connection\n$/],
  ];
  for (const [listener, sentence] of answers) {
    await withForeign(listener, async (url) => {
      const { code, stderr } = await run(["login", "--server", url]);
      assert.match(stderr, sentence);
      assert.ok(code === 3 || code === 69, String(code));
    });
  }
  const gone = `http://127.0.0.1:${await freePort()}`;
  const refused = await run(["login", "--server", gone]);
  assert.equal(refused.code, 69);
  assert.match(
    refused.stderr,
    /^reeve: cannot reach \S+: nothing listens there: is the server running, .*REEVE_SERVER\)\?\n$/,
  );
  for (const url of ["example.com", "ftp://example.com", "https://a:b@example.com", "https://example.com/?x=1"]) {
    const { code, stderr } = await run(["login", "--server", url]);
    assert.deepEqual([code, stderr.startsWith("reeve: --server: expected a URL ")], [78, true], stderr);
    assert.doesNotMatch(stderr, /a:b@/);
  }
});

test("the waiting login slows down when it is told to, outlasts a failure, and ends when the code has expired", async () => {
  const errors = ["authorization_pending", "slow_down", "down", "expired_token"];
  const asked: number[] = [];
  const listener: RequestListener = (request, response) => {
    response.setHeader("content-type", "application/json");
    if (request.url === "/oauth/device_authorization") {
      const code = { device_code: "d", user_code: "B\u001bC", verification_uri: "http://x.example", expires_in: 600 };
      response.end(JSON.stringify({ ...code, interval: 0 }));
      return;
    }
    asked.push(performance.now());
    const error = errors.shift();
    if (error === "down") request.socket.destroy();
    else response.writeHead(400).end(JSON.stringify({ error }));
  };
  await withForeign(listener, async (url) => {
    const { code, stderr } = await run(["login", "--server", url]);
    assert.equal(code, 3);
    assert.match(stderr, /Code {2}B\\u001bC/);
    assert.match(
      stderr,
      /reeve: the code expired before anybody approved it: run `reeve login --server http:\/\/127.0.0.1:\d+` again\n$/,
    );
  });
  assert.equal(asked.length, 4);
  assert.ok((asked[2] as number) - (asked[1] as number) > 4_900);
});

test("contexts are chosen by name or by server, and one name is of one server", async () => {
  const context = (url: string) => ({ server: url, token: "t".repeat(20), username: "ada", expiresAt: null });
  const stored = { version: 1, current: "a", contexts: { a: context(server.url), b: context("http://127.0.0.1:9") } };
  mkdirSync(join(folder, "reeve"), { recursive: true });
  writeFileSync(CONTEXTS, JSON.stringify(stored), { mode: 0o600 });
  const unknown = await run(["context", "use", "c"]);
  assert.deepEqual([unknown.code, /there is no context c/.test(unknown.stderr)], [6, true]);
  assert.match((await run(["whoami"])).stderr, /does not accept the token of the context a/);
  assert.match((await run(["whoami", "--context", "b"])).stderr, /cannot reach http:\/\/127\.0\.0\.1:9/);
  assert.match((await run(["whoami", "--server", "http://127.0.0.1:9"])).stderr, /cannot reach/);
  assert.match((await run(["whoami", "--context", "b", "--server", server.url])).stderr, /give one of the two/);
  assert.match((await run(["login", "--context", "b", "--server", server.url])).stderr, /the context b is of http/);
  assert.equal((await run(["context", "use", "b"])).code, 0);
  const kept = await run(["logout"]);
  assert.deepEqual([kept.code, /--forget forgets the token/.test(kept.stderr)], [69, true]);
  const forgotten = await run(["logout", "--forget"]);
  assert.match(forgotten.stdout, /ITS TOKEN IS STILL VALID/);
  const { contexts } = JSON.parse((await run(["context", "list", "--json"])).stdout);
  assert.deepEqual([contexts.length, contexts[0].name, contexts[0].isCurrent], [1, "a", false]);
});

test("a file that others can read, or that is something else, is not used", async () => {
  writeFileSync(CONTEXTS, "{}", { mode: 0o600 });
  const strange = await run(["whoami"]);
  assert.deepEqual([strange.code, /is no list of contexts/.test(strange.stderr)], [3, true]);
  rmSync(CONTEXTS);
  writeFileSync(CONTEXTS, '{"version":1,"current":null,"contexts":{}}', { mode: 0o644 });
  const open = await run(["login", "--server", server.url]);
  assert.deepEqual([open.code, /chmod 600/.test(open.stderr)], [3, true]);
  assert.doesNotMatch(open.stderr, /Open this page/);
});
