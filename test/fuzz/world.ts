// Who and what the fuzzer's requests are about: parties (an account or a team) with those who act for them, and what
// earlier requests made in them. New parties come as the run goes on, since requests delete accounts and teams too.
import { createKey } from "../resources/api-keys.ts";
import { uniqueName } from "../harness/test-app.ts";
import type { Body, TestApp, TestUser } from "../harness/test-app.ts";
import { openTeam } from "../resources/teams.ts";
import type { NewMethod } from "../../src/identity/methods/methods.ts";
import { ORIGIN, newIdentity } from "../sign-in/sign-in-with-identity.ts";
import { newPasskey } from "../sign-in/new-passkey.ts";
import { openSession } from "../sign-in/open-session.ts";
import type { Fresh, Ref } from "./refs.ts";

export interface Actor {
  readonly what: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The account behind it; null: none. */
  readonly userId: string | null;
  /** The team that it is limited to. */
  readonly teamId: string | null;
}

/** The actor with a session: the only one that may see and change ways to sign in. */
export const BROWSER = "user in a browser";

type Thing = string | number;

export interface Party {
  /** Of the account or team. */
  readonly id: string;
  slug: string | null;
  /** Callers with the most permissions come first. */
  readonly actors: Actor[];
  readonly things: Map<string, Thing[]>;
  /** Reads back what is theirs; null where the steward does. */
  keeper: string | null;
}

/** Of a kind, the newest; older ones are forgotten. */
const MOST_THINGS = 24;
const MOST_ACTORS = 10;
const MOST_PARTIES = 6;

/** What has the form of an id of its kind, and names nothing. */
const ABSENT: Readonly<Record<string, Thing>> = {
  team: `team_${"0".repeat(24)}`,
  user: "0".repeat(24),
  token: "0".repeat(64),
  key: `key_${"0".repeat(24)}`,
  invite: "0".repeat(24),
  code: "absent",
  email: "nobody@example.com",
  username: "nobody",
  secret: "ABSENT",
  version: 999,
  config: 999,
  rule: `rule_${"0".repeat(24)}`,
  project: "absent",
  webhook: `account_hook_${"0".repeat(24)}`,
  trust: `trust_${"0".repeat(24)}`,
  variable: `env_${"0".repeat(24)}`,
  delivery: `uev_${"0".repeat(24)}`,
  event: `uev_${"0".repeat(24)}`,
  replay: `replay_${"0".repeat(24)}`,
  cursor: 1,
  etag: '"0"',
};

const SHAPES: readonly (readonly [kind: string, shape: RegExp])[] = [
  ["team", /^team_\w{24}$/],
  ["key", /^key_\w{24}$/],
  ["secret", /^sec_\w{24}$/],
  ["webhook", /^account_hook_\w{24}$/],
  ["event", /^uev_\w{24}$/],
  ["rule", /^(?:rule|ip|cond)_\w{24}$/],
  ["replay", /^replay_\w{24}$/],
  ["session", /^session_\w{24}$/],
  ["trust", /^trust_\w{24}$/],
  ["variable", /^env_\w{24}$/],
  ["passkey", /^passkey_\w{24}$/],
  ["identity", /^identity_\w{24}$/],
  ["token", /^[0-9a-f]{64}$/],
  ["invite", /^[0-9a-f]{24}$/],
  ["user", /^[0-9A-Za-z]{24}$/],
];

/** Kinds that are told by the member's name. */
const NAMES: Readonly<Record<string, string>> = {
  email: "email",
  username: "username",
  slug: "slug",
  inviteCode: "code",
  code: "code",
  projectId: "project",
  version: "version",
  configVersion: "config",
  domain: "domain",
  next: "cursor",
  prev: "cursor",
};

function note(things: Map<string, Thing[]>, kind: string, thing: Thing): void {
  const known = things.get(kind) ?? [];
  if (known.includes(thing)) return;
  known.push(thing);
  if (known.length > MOST_THINGS) known.shift();
  things.set(kind, known);
}

/** What the browser of somebody who has signed in sends from a page of the server. */
function browser(session: string): Actor["headers"] {
  return { cookie: `reeve=${session}`, "sec-fetch-site": "same-origin" };
}

function bearer(value: string): Actor["headers"] {
  return { authorization: `Bearer ${value}` };
}

export class FuzzWorld {
  readonly api: TestApp;
  readonly parties: Party[] = [];
  #names = 0;

  constructor(api: TestApp) {
    this.api = api;
  }

  /** A new account and a new team, with members, somebody invited, somebody who asked, and keys. */
  async addParties(): Promise<void> {
    const { api } = this;
    const owner = await api.createUser(uniqueName("fuzz"));
    const team = await openTeam(api, owner);
    const people = new Map<string, TestUser>();
    for (const role of ["MEMBER", "SECURITY", "VIEWER", "invited", "requested", "outsider"]) {
      people.set(role, await api.createUser(uniqueName(role.toLowerCase())));
    }
    const person = (role: string) => people.get(role) as TestUser;
    for (const role of ["MEMBER", "SECURITY", "VIEWER"]) await team.add(person(role), role);
    await team.invite({ uid: person("invited").id, role: "DEVELOPER" });
    await team.ask(person("requested"));
    const administrator = await api.createUser(uniqueName("administrator"));
    await api.request("PATCH", `/v1/users/${administrator.id}`, { body: { admin: true } });
    const scope = `?teamId=${team.id}`;
    const teamKey = (await createKey(api, owner.token, scope)).body;
    const viewerKey = (await createKey(api, owner.token, scope, { role: "VIEWER" })).body;
    const ownKey = (await createKey(api, owner.token)).body;
    const limited = (
      await api.request("POST", `/v3/user/tokens${scope}`, { token: owner.token, body: { name: "limited" } })
    ).body;

    const tokenOf = (what: string, { token, id }: TestUser): Actor => {
      return { what, headers: bearer(token), userId: id, teamId: null };
    };
    const actors = [
      tokenOf("OWNER", owner),
      { what: "team's key", headers: { "x-api-key": teamKey.value }, userId: null, teamId: team.id },
      ...[...people].map(([role, user]) => tokenOf(role, user)),
      { what: "viewing key", headers: bearer(viewerKey.value), userId: null, teamId: team.id },
      { what: "limited token", headers: bearer(limited.bearerToken), userId: owner.id, teamId: team.id },
      tokenOf("administrator", administrator),
    ];
    const ofTeam: Party = { id: team.id, slug: team.slug, actors, things: new Map(), keeper: null };
    for (const user of [owner, ...people.values()]) this.#noteUser(ofTeam, user);
    for (const kind of ["team", "owner"]) note(ofTeam.things, kind, team.id);
    note(ofTeam.things, "key", teamKey.apiKey.id);
    note(ofTeam.things, "token", limited.token.id);
    const own = [
      tokenOf("user", owner),
      {
        what: "user in a browser",
        headers: browser((await openSession(api, owner)).session),
        userId: owner.id,
        teamId: null,
      },
      { what: "user's key", headers: bearer(ownKey.value), userId: owner.id, teamId: null },
      tokenOf("another user", person("outsider")),
    ];
    const ofUser: Party = { id: owner.id, slug: null, actors: own, things: new Map(), keeper: null };
    this.#noteUser(ofUser, owner);
    note(ofUser.things, "key", ownKey.apiKey.id);
    note(ofUser.things, "owner", owner.id);
    const passkeys = [await newPasskey(api, owner.id), await newPasskey(api, owner.id)];
    for (const method of [...passkeys, newIdentity(), newIdentity()]) await this.#addMethod(ofUser, method);
    await this.renewKeeper(ofUser);
    this.parties.push(ofTeam, ofUser);
    this.parties.splice(0, Math.max(0, this.parties.length - MOST_PARTIES));
  }

  /** Stores a method of an account as the pages do once it is proved. */
  async #addMethod({ id: userId }: Party, method: NewMethod): Promise<void> {
    const { app, clock } = this.api;
    await app.runner.changes.addSignInMethod({ userId, method, sessionId: null, origin: ORIGIN }, clock.now);
  }

  #noteUser({ things }: Party, { id, email, username }: TestUser): void {
    note(things, "user", id);
    note(things, "email", email);
    note(things, "username", username);
  }

  /** A new token for reading back what is an account's own; requests delete such tokens too. */
  async renewKeeper(party: Party): Promise<void> {
    const { runner } = this.api.app;
    const { value } = await runner.changes.issueToken({ userId: party.id, name: "keeper" }, this.api.clock.now);
    party.keeper = value;
  }

  /** The headers of a new session of an account; null: the account was deleted or suspended. */
  async openSession(party: Party): Promise<Actor["headers"] | null> {
    const { body } = await this.api.request("GET", `/v1/users/${party.id}`);
    return body?.user && body.user.suspendedAt === null ? browser((await openSession(this.api, party)).session) : null;
  }

  find(idOrSlug: string): Party | undefined {
    return this.parties.find(({ id, slug }) => id === idOrSlug || slug === idOrSlug);
  }

  forget(party: Party): void {
    const at = this.parties.indexOf(party);
    if (at >= 0) this.parties.splice(at, 1);
  }

  fresh({ before, after }: Fresh): string {
    return `${before}${++this.#names}${after}`;
  }

  /** What a reference is to, for a request that is about `party`. */
  look({ kind, pick, whose }: Ref, party: Party): Thing {
    const others = this.parties.filter((one) => one !== party);
    const foreign = others[pick % Math.max(1, others.length)];
    const from = whose === "own" ? party : whose === "foreign" ? foreign : undefined;
    const known = from?.things.get(kind);
    return known ? (known[pick % known.length] as Thing) : (ABSENT[kind] ?? "absent");
  }

  /** Remembers everything in a response that has the form of something that can be named. */
  harvest(party: Party, body: Body, tag = ""): void {
    const visit = (value: unknown, name: string) => {
      if (typeof value === "string" || typeof value === "number") this.#noteValue(party, value, name, tag);
      else if (Array.isArray(value)) value.slice(0, MOST_THINGS).forEach((item) => visit(item, name));
      else if (value !== null && typeof value === "object")
        for (const [key, member] of Object.entries(value)) visit(member, key);
    };
    visit(body, "");
  }

  #noteValue(party: Party, value: Thing, name: string, tag: string): void {
    const shape = typeof value === "string" ? SHAPES.find(([, form]) => form.test(value))?.[0] : undefined;
    // The steward has to stay as it is.
    if (value === this.api.admin.id) return;
    const byName = name === "name" && tag === "secret" ? "secret" : NAMES[name];
    const kind = shape ?? byName;
    if (kind === undefined || value === "") return;
    note(party.things, kind, value);
    if (shape === "event" && tag === "delivery") note(party.things, "delivery", value);
    if (name === "version" && tag === "firewall") note(party.things, "config", value);
  }

  noteThing(party: Party, kind: string, thing: Thing): void {
    note(party.things, kind, thing);
  }

  /** Somebody more who acts; of those that requests made, the oldest is forgotten. */
  addActor(party: Party, actor: Actor): void {
    party.actors.push(actor);
    if (party.actors.length > MOST_ACTORS + 4) party.actors.splice(MOST_ACTORS, 1);
  }
}
