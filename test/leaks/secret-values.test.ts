// Stores values by every call, accepted and refused ones. Then searches everything that Reeve wrote or returned: files, rows,
// log, events, metrics, errors. No value may be in there, in any encoding.
import assert from "node:assert/strict";
import { hash, randomBytes } from "node:crypto";
import { before, describe, test } from "node:test";
import { SCHEMA_VERSION, migrate } from "../../src/platform/store/migrations/migrate.ts";
import { MIGRATIONS } from "../../src/platform/store/migrations/migrations.ts";
import { ENGINE, startOwnApp, uniqueName } from "../harness/test-app.ts";
import type { TestResponse, RequestOptions } from "../harness/test-app.ts";
import { openTeam } from "../resources/teams.ts";
import { formsOf, search } from "./forms.ts";
import type { Hit, Needle } from "./forms.ts";
import { markPosition, readFiles, readRows } from "./stored-bytes.ts";
import type { Place } from "./stored-bytes.ts";

/** Part of each value, and of nothing else. */
const marker = randomBytes(18);
const core = marker.toString("base64url");
/** Part of data that is not secret, in every searched place: the search must find it, or it would not find the values either. */
const control = `control-${randomBytes(12).toString("hex")}`;
const masterKey = randomBytes(32);

const lines: string[] = [];
const api = await startOwnApp({ logLevel: "trace", masterKey: masterKey.toString("base64") }, (line) => {
  lines.push(line);
});
const { request, createUser, clock, withStore } = api;
const start = await withStore(({ admin }) => markPosition(admin));
const owner = await createUser();
const viewer = await createUser();
const stranger = await createUser();
const team = await openTeam(api, owner);
await team.add(viewer, "VIEWER");

const values: string[] = [];
/** Responses that must not contain a value. */
const responses: { readonly way: string; readonly response: TestResponse }[] = [];
const generated: string[] = [];

/** A unique value, with characters that JSON and URLs escape. */
function newValue(): string {
  const value = `${core}.${uniqueName("value")} "\\\n&+/é`;
  values.push(value);
  return value;
}

interface Sending extends RequestOptions {
  readonly status: number;
  /** The response shows the value, as requested. */
  readonly isReveal?: true;
}

let sent = 0;

async function send(way: string, method: string, path: string, { status, isReveal, ...options }: Sending) {
  const url = `${path}${path.includes("?") ? "&" : "?"}teamId=${team.id}`;
  const headers = {
    ...(method === "POST" ? { "idempotency-key": uniqueName("key") } : {}),
    "x-request-id": `${control}.${++sent}`,
    "user-agent": control,
    ...options.headers,
  };
  const response = await request(method, url, { token: owner.token, ...options, headers });
  assert.equal(response.status, status, `${way}: ${response.text}`);
  if (!isReveal) responses.push({ way, response });
  return response;
}

/** The members, besides the value, of a body that creates a secret. */
const created = () => ({ name: uniqueName(control), decryptable: true, description: control, tags: [control] });

async function enterByAcceptedWays(): Promise<void> {
  const first = created();
  const path = `/v2/secrets/${first.name}`;
  const replayed = { headers: { "idempotency-key": "again" }, body: { ...first, value: newValue() } };
  await send("create", "POST", "/v2/secrets", { status: 200, ...replayed });
  await send("the same again", "POST", "/v2/secrets", { status: 200, ...replayed });
  const other = { ...replayed, body: { ...first, value: newValue() } };
  await send("another body under the key", "POST", "/v2/secrets", { status: 422, ...other });
  const { name, ...unnamed } = created();
  await send("create by path", "POST", `/v2/secrets/${name}`, { status: 200, body: { ...unnamed, value: newValue() } });
  await send("create as today's clients do", "POST", "/now/secrets", {
    status: 200,
    body: { name: uniqueName(control), value: newValue() },
  });
  const bytes = Buffer.concat([randomBytes(10), marker, randomBytes(10), Buffer.from(core)]);
  await send("create from bytes", "POST", "/v2/secrets", {
    status: 200,
    body: { ...created(), value: bytes.toString("base64"), encoding: "base64" },
  });
  // Too long for a row: PostgreSQL stores it out of line, and random text does not compress.
  const long = Array.from({ length: 30 }, () => core + randomBytes(1_400).toString("base64url")).join("");
  await send("create a long one", "POST", "/v2/secrets", { status: 200, body: { ...created(), value: long } });
  await send("generate", "POST", "/v2/secrets/generate", { status: 200, body: { ...created(), length: 64 } });
  const { body } = await send("list", "GET", "/v2/secrets", { status: 200 });
  const shown = await send("reveal the generated one", "GET", `/v3/secrets/${body.secrets[0].uid}?decrypt=true`, {
    status: 200,
    isReveal: true,
  });
  assert.equal(shown.body.value.length, 64);
  generated.push(shown.body.value);

  await send("new version", "PUT", path, { status: 200, body: { value: newValue() } });
  await send("restore a version", "POST", `${path}/versions/1/restore`, { status: 200, body: {} });
  for (const url of [`/v3/secrets/${first.name}`, `${path}/versions/2`]) {
    const reveal = await send("reveal", "GET", `${url}?decrypt=true`, { status: 200, isReveal: true });
    assert.ok(reveal.body.value.includes(core));
    await send("read without the value", "GET", url, { status: 200 });
  }
  await send("list versions", "GET", `${path}/versions`, { status: 200 });
  await send("forget old versions", "PATCH", path, { status: 200, body: { maxVersions: 1, description: control } });
  await send("delete", "DELETE", path, { status: 200 });
  await send("bring back", "POST", `${path}/restore`, { status: 200, body: {} });
  await send("destroy", "DELETE", `/v2/secrets/${name}?permanent=true`, { status: 200 });
}

async function enterByRefusedWays(): Promise<void> {
  const taken = created();
  const path = `/v2/secrets/${taken.name}`;
  await send("create", "POST", "/v2/secrets", { status: 200, body: { ...taken, value: newValue() } });
  const put = (way: string, status: number, body: unknown, more: RequestOptions = {}) =>
    send(way, "PUT", path, { status, body, ...more });

  await put("JSON that ends too early", 400, `{"value":"${core}`);
  await put("JSON that goes on", 400, `{"value":"${core}"} x`);
  await put("JSON of a wrong escape", 400, `{"value":"${core}\\x"}`);
  await put("a bare word", 400, core);
  await put("a text alone", 400, JSON.stringify(core));
  await put("a list of values", 400, { value: [newValue()] });
  await put("a value within an object", 400, { value: { [uniqueName("key")]: newValue() } });
  await put("a text where a number belongs", 400, { value: newValue(), expectedVersion: newValue() });
  await put("a text out of a list", 400, { value: newValue(), encoding: newValue() });
  await put("an unknown key", 400, { value: newValue(), valeu: newValue() });
  await put("NUL", 400, { value: `${newValue()}\0` });
  await put("half a character", 400, `{"value":"${core}\\ud800"}`);
  await put("no base64", 400, { value: `${core}!`, encoding: "base64" });
  await put("more bytes than a value has", 400, { value: `${core}${"é".repeat(40_000)}` });
  await put("more characters than a value has", 400, { value: core.repeat(4_000) });
  await put("more than a body has", 413, { value: core.repeat(50_000) });
  await put("another type", 415, JSON.stringify({ value: newValue() }), { headers: { "content-type": "text/plain" } });
  await put("another version expected", 409, { value: newValue(), expectedVersion: 7 });
  await put("another revision expected", 412, { value: newValue() }, { headers: { "if-match": '"77"' } });
  await put("an end that is past", 400, { value: newValue(), expiresAt: 1 });
  await put("as problem details", 400, { value: [core] }, { headers: { accept: "application/problem+json" } });
  await put("a viewer", 403, { value: newValue() }, { token: viewer.token });
  await put("a stranger", 404, { value: newValue() }, { token: stranger.token });
  await put("nobody", 401, { value: newValue() }, { token: null });
  const body = { ...created(), value: newValue() };
  await send("a name that is taken", "POST", "/v2/secrets", { status: 409, body: { ...body, name: taken.name } });
  await send("no name", "POST", "/v2/secrets", { status: 400, body: { ...body, name: "-" } });
  await send("an absent secret", "PUT", "/v2/secrets/absent", { status: 404, body: { value: newValue() } });
  await send("a value among settings", "PATCH", path, { status: 400, body: { value: newValue() } });
  await send("a method that is not there", "POST", `${path}/versions`, { status: 405, body: { value: newValue() } });
  await send("a path that is not there", "POST", "/v2/secret", { status: 404, body: { value: newValue() } });
  await send("a value in the URL", "GET", `/v2/secrets?value=${core}`, { status: 400 });
  await send("a reveal that a viewer asks for", "GET", `${path}?decrypt=true`, { status: 403, token: viewer.token });
  await put("an end", 200, { value: newValue(), expiresAt: clock.now + 1_000 });
  clock.advance(2_000);
  await send("a reveal after the end", "GET", `${path}?decrypt=true`, { status: 410 });
}

/** The store itself refuses a version after its row has been built. */
async function enterAsTheStoreFails(): Promise<void> {
  const isSqlite = ENGINE === "sqlite";
  await withStore(({ admin }) =>
    admin.exec(
      isSqlite
        ? "create trigger refusal before insert on secret_versions begin select raise(abort, 'refusal'); end"
        : "alter table secret_versions add constraint refusal check (size < 0) not valid",
    ),
  );
  await send("a version that the store refuses", "POST", "/v2/secrets", {
    status: 500,
    body: { ...created(), value: newValue() },
  });
  await withStore(({ admin }) =>
    admin.exec(isSqlite ? "drop trigger refusal" : "alter table secret_versions drop constraint refusal"),
  );
}

function needlesOf(): Needle[] {
  const digests = [...values, ...generated].flatMap((value) =>
    (["sha256", "md5"] as const).flatMap((algorithm) => {
      const digest = hash(algorithm, value, "buffer");
      return [
        { form: `${algorithm} of a value`, bytes: digest },
        { form: `${algorithm} of a value, hex`, bytes: Buffer.from(digest.toString("hex")) },
        { form: `${algorithm} of a value, base64`, bytes: Buffer.from(digest.toString("base64").replace(/=+$/, "")) },
      ];
    }),
  );
  return [
    ...formsOf("the value", Buffer.from(core)),
    ...formsOf("the value's bytes", marker),
    ...generated.flatMap((value) => formsOf("the generated value", Buffer.from(value))),
    ...formsOf("the master key", masterKey),
    ...digests,
  ];
}

let needles: readonly Needle[];
before(async () => {
  await enterByAcceptedWays();
  await enterByRefusedWays();
  await enterAsTheStoreFails();
  needles = needlesOf();
});

/** The places contain no part of a value, and do contain the control text. */
function assertClean(places: readonly Place[], known = control): void {
  const hits: Hit[] = places.flatMap(({ name, bytes }) => search(name, bytes, needles));
  assert.deepEqual(hits, []);
  const found = places.filter(
    ({ name, bytes }) => search(name, bytes, formsOf("control", Buffer.from(known))).length > 0,
  );
  assert.ok(found.length > 0, `the search did not find ${known}`);
}

const place = (name: string, text: string): Place => ({ name, bytes: Buffer.from(text) });

describe("no value, in any form, is", () => {
  test("in the rows of the store", async () => {
    const places = await withStore(({ admin }) => readRows(admin));
    assertClean(places);
    for (const table of ["secret_versions", "idempotency_records", "events", "secrets"]) {
      const rows = places.find(({ name }) => name === `rows of ${table}`);
      assert.ok(rows && rows.bytes.length > 0, table);
    }
  });

  test("in the store's files, its write-ahead log, and copies of it", async () => {
    // As the next migration makes one; on PostgreSQL copies are the operator's.
    const version = SCHEMA_VERSION + 1;
    const next = { version, name: "next", statements: () => ["create table later (id integer)"] };
    const [main] = ENGINE === "sqlite" ? await api.query("pragma database_list") : [];
    const file = (main?.["file"] as string | undefined) ?? null;
    const { copy } = await withStore((store) => migrate(store, file, clock.now, [...MIGRATIONS, next]));
    assert.equal(copy !== null, ENGINE === "sqlite");
    const places = await withStore(({ admin }) => readFiles(admin, start));
    assertClean(places);
    // Each kind is searched separately, so that each must contain the control text.
    const kinds =
      ENGINE === "sqlite"
        ? [/^reeve\.db$/, /^reeve\.db-wal$/, new RegExp(`^before-schema-${version}\\.db$`)]
        : [/^base\//, /^pg_wal\//];
    for (const kind of kinds) assertClean(places.filter(({ name }) => kind.test(name)));
  });

  test("in the log at the level debug", () => {
    assertClean([place("log", lines.join(""))]);
    const failures = lines.filter((line) => line.includes('"request failed"'));
    assert.equal(failures.length, 1);
    assert.match(failures[0] as string, /"err":\{"type":"\w+","message":.*refusal/);
    // PostgreSQL quotes the whole row that it refused.
    assert.doesNotMatch(failures[0] as string, /failing row|detail/i);
  });

  test("in events", async () => {
    const { text } = await request("GET", `/v3/events?teamId=${team.id}&limit=100`, { token: owner.token });
    assertClean([place("feed", text)]);
    assertClean([place("chain", JSON.stringify(await api.readEvents(team.id)))]);
  });

  test("in metrics", async () => {
    const { text } = await request("GET", "/metrics", { token: null });
    assertClean([place("metrics", text)], "createSecret");
  });

  test("in responses of other calls, refusals included", () => {
    const written = ({ status, headers, text }: TestResponse) => `${status} ${JSON.stringify(headers)} ${text}`;
    assertClean(responses.map(({ way, response }) => place(way, written(response))));
    for (const { way, response } of responses) assert.equal(response.headers["cache-control"], "no-store", way);
  });
});
