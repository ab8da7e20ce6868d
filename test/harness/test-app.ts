// Starts Reeve in process on a real database, and sends HTTP requests to it. Every test creates its own users and teams. Only
// the clock is a double.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createApp } from "../../src/serve/app.ts";
import type { App, AppDependencies } from "../../src/serve/app.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { createLogger } from "../../src/serve/observability/logger.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import type { Flags, Settings } from "../../src/serve/config/config.ts";
import type { Engine } from "../../src/platform/kernel/tx.ts";
import type { Database } from "../../src/platform/store/database.ts";
import { launchThread } from "../../src/platform/store/sqlite/writer-client.ts";
import { runOnServer, urlOfDatabase } from "../postgres/databases.ts";
import { takeAbout } from "./error-body.ts";
import { inject, noteHost } from "./inject.ts";
import { WRITER } from "./program.ts";
import { logResponses } from "./response-log.ts";
import { holdMinuteRounds } from "./rounds.ts";
import { retryWhileBusy } from "./wait-for.ts";
import { copySqliteTemplate } from "./sqlite-template.ts";
import { credentialHeaders, sessionHeaders } from "../sign-in/session-token.ts";

/** The engine of this run; `npm test` runs the suite once for each. */
export const ENGINE: Engine = process.env["REEVE_TEST_ENGINE"] === "postgres" ? "postgres" : "sqlite";

export const START_TIME = Date.UTC(2030, 0, 1);

holdMinuteRounds();

export interface TestClock {
  now: number;
  advance(ms: number): void;
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies freely
export type Body = any;

export interface TestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Body;
  readonly text: string;
}

/** A row of an owner's chain, with its JSON parsed. */
export interface RecordedEvent {
  readonly type: string;
  readonly text: string;
  readonly principalId: string;
  readonly entityId: string;
  readonly payload: Body;
  readonly previous: Body;
  readonly next: Body;
}

export interface RequestOptions {
  readonly token?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Address of the client. */
  readonly ip?: string;
  readonly session?: string;
}

export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly token: string;
}

export interface TestTeam {
  readonly id: string;
  readonly slug: string;
}

export interface TestApp {
  readonly app: App;
  /** For code that runs beside the app, as commands do. */
  readonly settings: Settings;
  readonly clock: TestClock;
  /** The bootstrap administrator. */
  readonly admin: TestUser;
  /** Sends a request as the administrator, or with another `token`, or without one (`token: null`). */
  request(method: string, url: string, options?: RequestOptions): Promise<TestResponse>;
  /** A new account with a token. */
  createUser(name?: string): Promise<TestUser>;
  /** A new team whose only member and OWNER is `owner`. */
  createTeam(owner: TestUser, slug?: string): Promise<TestTeam>;
  /** An owner's events, oldest first, from the store itself: no call returns the events of deleted owners. */
  readEvents(ownerId: string): Promise<RecordedEvent[]>;
  /** Runs SQL on the store itself, for states that no request reaches. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Uses the store directly, to plant or tamper with data that no call can change. */
  withStore<T>(work: (store: Database) => Promise<T>): Promise<T>;
  /** Starts a second Reeve on the same database (after `app.close()`, for a restart, or beside it). */
  startAnother(flags?: Flags): Promise<App>;
}

function readJson(column: unknown): Body {
  return JSON.parse((column ?? "null") as string);
}

let nameCounter = 0;

/** A name that no other test of this file uses. */
export function uniqueName(prefix: string): string {
  nameCounter++;
  return `${prefix}-${nameCounter}`;
}

/** An empty database, as settings that name it. */
export interface TestStorage {
  readonly flags: Flags;
  remove(): Promise<void>;
}

/** A database of its own for this test file. `isMigrated` saves a test that is not about the migration the time for it. */
export async function createStorage({ isMigrated = false } = {}): Promise<TestStorage> {
  const dataDir = mkdtempSync(join(tmpdir(), "reeve-test-"));
  const removeFolder = () => rmSync(dataDir, { recursive: true, force: true });
  if (ENGINE === "sqlite") {
    if (isMigrated) copySqliteTemplate(dataDir);
    return { flags: { dataDir }, remove: async () => removeFolder() };
  }
  const serverUrl = process.env["REEVE_TEST_DATABASE_URL"];
  if (!serverUrl) throw new Error("REEVE_TEST_DATABASE_URL is not set; run the suite with npm test");
  const name = `reeve_test_${randomBytes(6).toString("hex")}`;
  const template = isMigrated ? ` template ${process.env["REEVE_TEST_TEMPLATE"]}` : "";
  await runOnServer(serverUrl, `create database ${name}${template}`);
  return {
    flags: { dataDir, databaseUrl: urlOfDatabase(serverUrl, name) },
    async remove() {
      removeFolder();
      await runOnServer(serverUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

let shared: Promise<TestApp & { remove(): Promise<void> }> | undefined;

/**
 * The Reeve that the test files of one process share, with the default settings: each file creates its own users and teams, and
 * only moves the clock forward. It is closed, and its database removed, when the process ends.
 */
export async function startTestApp(): Promise<TestApp> {
  shared ??= openTestApp();
  const api = await shared;
  after(async () => {
    if (shared === undefined) return;
    shared = undefined;
    await api.remove();
  });
  return api;
}

/**
 * Starts a Reeve for this test file alone: because it needs its own settings, or because its tests read the whole store, damage
 * it or set the clock. Log lines go to the standard output, or to `logTo`.
 */
export async function startOwnApp(
  flags: Flags = {},
  logTo?: (line: string) => void,
  dependencies: Partial<AppDependencies> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<TestApp> {
  const api = await openTestApp(flags, logTo, dependencies, environment);
  after(api.remove);
  return api;
}

/** The same, closed by the caller. */
export async function openTestApp(
  flags: Flags = {},
  logTo?: (line: string) => void,
  dependencies: Partial<AppDependencies> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<TestApp & { remove(): Promise<void> }> {
  const storage = await createStorage({ isMigrated: true });
  const clock: TestClock = {
    now: START_TIME,
    advance(ms) {
      clock.now += ms;
    },
  };
  const bootstrapToken = `test_${randomBytes(24).toString("hex")}`;
  const apps = new Set<App>();
  let direct: Promise<Database> | undefined;
  const settingsWith = (more: Flags) =>
    readSettings(
      { rateLimit: "0", logLevel: "error", bootstrapToken, ...storage.flags, ...flags, ...more },
      environment,
    );
  async function start(more: Flags = {}): Promise<App> {
    const settings = settingsWith(more);
    const logger = createLogger(settings.logLevel, logTo ? { write: logTo } : process.stdout);
    const writerThread = ENGINE === "sqlite" ? launchThread(WRITER) : undefined;
    const app = await createApp(settings, { clock: () => clock.now, logger, writerThread, ...dependencies });
    logResponses(app.server);
    apps.add(app);
    noteHost(app, settings);
    await app.bootstrap();
    return app;
  }
  const app = await start();

  async function request(method: string, url: string, options: RequestOptions = {}): Promise<TestResponse> {
    return await send(app, method, url, { token: bootstrapToken, ...options });
  }
  async function withStore<T>(work: (store: Database) => Promise<T>): Promise<T> {
    direct ??= openDatabase(settingsWith({}));
    const store = await direct;
    const result = await work(store);
    // After this the service reads the changes made here: on SQLite reads of one turn share a snapshot, and on PostgreSQL the sessions of
    // Reeve have to say what they change.
    if (ENGINE === "sqlite") await setImmediate();
    else await store.admin.exec("insert into changed_owners default values");
    return result;
  }
  async function query(sql: string): Promise<Record<string, unknown>[]> {
    return await withStore(({ admin }) => admin.query(sql));
  }
  const { user } = (await request("GET", "/v2/user")).body;
  const admin: TestUser = { ...user, token: bootstrapToken };

  return {
    app,
    settings: settingsWith({}),
    clock,
    admin,
    request,
    async createUser(name = uniqueName("user")) {
      const body = { username: name, email: `${name}@example.com` };
      const created = await retryWhileBusy(() => request("POST", "/v1/users", { body }));
      if (created.status !== 200) throw new Error(`createUser: ${created.text}`);
      const order = { userId: created.body.user.id, name: "test" };
      const { value: token } = await app.runner.changes.issueToken(order, clock.now);
      return { ...created.body.user, token };
    },
    async createTeam(owner, slug = uniqueName("team")) {
      const created = await retryWhileBusy(() => request("POST", "/v1/teams", { token: owner.token, body: { slug } }));
      if (created.status !== 200) throw new Error(`createTeam: ${created.text}`);
      return { id: created.body.id, slug };
    },
    query,
    async readEvents(ownerId) {
      const rows = await query(
        `select type, text, principal_id, entity_id, payload, previous, next
          from events where owner_id = '${ownerId}' order by sequence`,
      );
      return rows.map((row) => ({
        type: row["type"] as string,
        text: row["text"] as string,
        principalId: row["principal_id"] as string,
        entityId: row["entity_id"] as string,
        payload: readJson(row["payload"]),
        previous: readJson(row["previous"]),
        next: readJson(row["next"]),
      }));
    },
    withStore,
    startAnother: start,
    async remove() {
      for (const running of apps) await running.close();
      await (await direct)?.close();
      await storage.remove();
    },
  };
}

/** Sends one request to an app, in process. */
export async function send(app: App, method: string, url: string, options: RequestOptions): Promise<TestResponse> {
  const { token, body, headers = {}, ip, session } = options;
  const response = await inject(app, {
    method,
    url,
    ...(ip === undefined ? {} : { remoteAddress: ip }),
    headers: {
      ...(session === undefined ? credentialHeaders(token) : sessionHeaders(session)),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const isJson = /^application\/(?:\w+\+)?json\b/.test(response.headers["content-type"]?.toString() ?? "");
  const parsed: Body = isJson && response.body !== "" ? JSON.parse(response.body) : null;
  if (response.statusCode >= 400)
    takeAbout(parsed, headers["x-request-id"] === undefined ? response.headers["x-request-id"] : null);
  return {
    status: response.statusCode,
    headers: response.headers as TestResponse["headers"],
    body: parsed,
    text: response.body,
  };
}
