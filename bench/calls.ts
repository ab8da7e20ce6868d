// One call of each kind, as 200 owners make it in turn, and the store that they make it on.
import type { Keyring } from "../src/platform/kernel/keyring.ts";
import type { Tx } from "../src/platform/kernel/tx.ts";
import { encodeRequest } from "./load.ts";
import type { ApiRequest } from "./load.ts";
import type { BenchDatabase } from "./postgres.ts";
import type { ServerProcess } from "./processes.ts";
import { FULL_LOAD, callScenario, rotate } from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";
import { seedOwner } from "./seed.ts";
import { seedChain } from "./seed-events.ts";
import { newSecretValue, seedSecret } from "./seed-secrets.ts";
import { seedTeam } from "./seed-teams.ts";
import { PAYLOAD, PUBLISHED_TYPE } from "./seed-webhooks.ts";

/** Each has a lock of its own, which its changes take one after the other. */
export const OWNERS = 200;
/** Of each owner: teams, secrets and events. One more than a page shows. */
const STORED = 21;

export interface Owner {
  readonly token: string;
  readonly teamId: string;
  readonly nextSecretId: () => string;
}

export const seedStart = () => Date.now() - OWNERS * STORED;

export async function seedOwners(tx: Tx, keyring: Keyring, start: number): Promise<Owner[]> {
  const owners: Owner[] = [];
  for (let at = 0; at < OWNERS; at++) {
    const { ownerId, token } = await seedOwner(tx, start + at, `owner-${at}`);
    let teamId = "";
    const secretIds: string[] = [];
    for (let i = 0; i < STORED; i++) {
      teamId = await seedTeam(tx, `team-${at}-${i}`, ownerId, start + at * STORED + i);
      secretIds.push(await seedSecret(tx, keyring, ownerId, `secret-${i}`, start + i));
    }
    await seedChain(tx, ownerId, STORED, start);
    owners.push({ token, teamId, nextSecretId: rotate(secretIds) });
  }
  return owners;
}

export interface Call {
  readonly kind: "read" | "write" | "publish";
  request(owner: Owner): ApiRequest;
}

let slugCounter = 0;
export const published = { method: "POST", path: "/v1/events", body: { type: PUBLISHED_TYPE, payload: PAYLOAD } };

export const [GET_USER, GET_TEAM, TEAM_PAGE] = ["GET user", "GET team", "page of 20 teams"] as const;
export const [CREATE_TEAM, PUBLISH] = ["create team", "publish event"] as const;

/** What the other calls do is like one of these. */
export const CALLS: Readonly<Record<string, Call>> = {
  [GET_USER]: { kind: "read", request: () => ({ method: "GET", path: "/v2/user" }) },
  [GET_TEAM]: { kind: "read", request: ({ teamId }) => ({ method: "GET", path: `/v2/teams/${teamId}` }) },
  [TEAM_PAGE]: { kind: "read", request: () => ({ method: "GET", path: "/v2/teams" }) },
  "page of 20 events": { kind: "read", request: () => ({ method: "GET", path: "/v3/events" }) },
  "GET secret": {
    kind: "read",
    request: ({ nextSecretId }) => ({ method: "GET", path: `/v3/secrets/${nextSecretId()}` }),
  },
  // It records an event.
  "reveal secret": {
    kind: "write",
    request: ({ nextSecretId }) => ({ method: "GET", path: `/v3/secrets/${nextSecretId()}?decrypt=true` }),
  },
  [CREATE_TEAM]: {
    kind: "write",
    request: () => ({ method: "POST", path: "/v1/teams", body: { slug: `made-${slugCounter++}` } }),
  },
  "new value of a secret": {
    kind: "write",
    request: ({ nextSecretId }) => ({
      method: "PUT",
      path: `/v2/secrets/${nextSecretId()}`,
      body: { value: newSecretValue() },
    }),
  },
  [PUBLISH]: { kind: "publish", request: () => published },
};

/** All changes of one owner wait for each other. */
export const ONE_OWNER = "publish event, one owner";
export const DELIVERED = "publish and deliver event";

export const callRow = (call: string, field: string) => `${call}, ${field}`;
export const SQLITE = "SQLite";
/** What is asked again while nothing is changed. */
export const CACHED = "SQLite, cached responses";
export const POSTGRES = "PostgreSQL";

/** A server and its store. */
export interface Field {
  readonly name: string;
  readonly server: ServerProcess;
  readonly owners: readonly Owner[];
  readonly database?: BenchDatabase;
}

/**
 * A call by the owners in turn. The client sleeps while it waits unless only servers of one thread are compared: spinning, it would
 * take a core from the others.
 */
export function ownersScenario(
  call: string,
  { name, server, owners, database }: Field,
  { ask = (CALLS[call] as Call).request, connections = FULL_LOAD, isAwake = false, row = callRow(call, name) } = {},
): Scenario {
  const nextOwner = rotate(owners);
  const request = () => {
    const owner = nextOwner();
    return encodeRequest(ask(owner), owner.token);
  };
  return callScenario(row, { servers: [server], database, connections, isAwake, request });
}
