// From a plan to the request that is sent: everything that it left open is filled in from the world as it is now.
import { BROWSER } from "./world.ts";
import { mutate } from "./mutations.ts";
import type { Parts } from "./mutations.ts";
import type { Operation } from "./document.ts";
import type { Plan } from "./plans.ts";
import { Ref, fill } from "./refs.ts";
import type { Filling } from "./refs.ts";
import type { Actor, FuzzWorld, Party } from "./world.ts";

export interface FuzzRequest {
  readonly operation: Operation;
  readonly actor: Actor;
  readonly party: Party;
  readonly method: string;
  /** As it goes over the wire. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string | Buffer | undefined;
  /** The body that the payload was made from, where it is JSON. */
  readonly body: unknown;
}

const NOBODY: Actor = { what: "nobody", headers: {}, userId: null, teamId: null };

function actorOf({ caller, operation }: Plan, world: FuzzWorld, party: Party): Actor {
  switch (caller.kind) {
    case "nobody":
      return NOBODY;
    case "steward": {
      const { token, id } = world.api.admin;
      // Its own account has to stay as it is; what it makes belongs to others.
      if (operation.access !== "instance") return NOBODY;
      return { what: "steward", headers: { authorization: `Bearer ${token}` }, userId: id, teamId: null };
    }
    case "best":
      return (
        (operation.access === "session" ? party.actors.find(({ what }) => what === BROWSER) : party.actors[0]) ?? NOBODY
      );
    case "own":
    case "foreign": {
      const others = world.parties.filter((one) => one !== party);
      const { actors } = (caller.kind === "own" ? party : others[caller.pick % Math.max(1, others.length)]) ?? party;
      return actors[caller.pick % Math.max(1, actors.length)] ?? NOBODY;
    }
  }
}

/** The query that names the team that the request is about. */
function scopeQuery({ scope, operation }: Plan, party: Party, filling: Filling): [string, string][] {
  if (scope === "none" && operation.access !== "owner") return [];
  const isTeam = party.slug !== null;
  const foreign = String(filling.ref(new Ref("team", 1, "foreign")));
  const absent = String(filling.ref(new Ref("team", 0, "absent")));
  const byId: [string, string] = ["teamId", party.id];
  const bySlug: [string, string] = ["slug", party.slug ?? ""];
  switch (scope) {
    case "foreign":
      return [["teamId", foreign]];
    case "absent":
      return [["slug", absent]];
    case "none":
      // A key of the team needs no name; others would be asking about their own account.
      return [];
    case "slug":
      return isTeam ? [bySlug] : [];
    case "both":
      return isTeam ? [byId, bySlug] : [];
    case "id":
      return isTeam ? [byId] : [];
  }
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(",");
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function encode(value: unknown): string {
  const text = textOf(value);
  return encodeURIComponent(text.isWellFormed() ? text : text.toWellFormed());
}

function queryPairs({ operation, query }: Plan, filling: Filling): [string, string][] {
  const isList = new Map(operation.queryParameters.map(({ name, schema }) => [name, schema["type"] === "array"]));
  return Object.entries(query).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    const filled = fill(value, filling);
    const values = isList.get(name) && Array.isArray(filled) ? filled : [filled];
    return values.map((one) => [name, encode(one)]);
  });
}

function segmentsOf(plan: Plan, party: Party, filling: Filling): string[] {
  const { template } = plan.path;
  return template.split("/").map((segment) => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined) return segment;
    // Of a path with a team, the party that the request is about; another one as the scope says.
    if (name === "teamId" && (plan.scope === "id" || plan.scope === "both" || plan.scope === "none")) return party.id;
    if (name === "teamId" && plan.scope === "slug") return party.slug ?? party.id;
    if (name === "teamId")
      return encode(filling.ref(new Ref("team", 2, plan.scope === "absent" ? "absent" : "foreign")));
    return encode(fill(plan.params[name], filling));
  });
}

/** A header may hold what latin1 does, and no control characters: more would never be sent. */
function headerText(value: string): string {
  return value.replace(/[^\t\x20-\x7e\x80-\xff]/g, "");
}

/** What a URL parser makes of a path, which is what is sent. */
function asSent(parts: Parts): string {
  const query = parts.query.map(([name, value]) => `${name}=${value}`).join("&");
  const url = URL.parse(parts.segments.join("/") + (query === "" ? "" : `?${query}`), "http://localhost");
  return url?.host === "localhost" ? url.pathname + url.search : "/";
}

function payloadOf({ raw, body }: Parts): string | Buffer | undefined {
  if (raw !== undefined) return raw;
  return body === undefined ? undefined : JSON.stringify(body);
}

/** Puts a request together. */
export function compose(plan: Plan, world: FuzzWorld): FuzzRequest {
  const { parties, api } = world;
  const wantsTeam = plan.operation.access === "team" || plan.operation.access === "known-team";
  const fitting = parties.filter(({ slug }) => !wantsTeam || slug !== null);
  const party = fitting[plan.party % fitting.length] as Party;
  const actor = actorOf(plan, world, party);
  const filling: Filling = {
    ref: (ref) => world.look(ref, party),
    fresh: (name) => world.fresh(name),
    now: api.clock.now,
  };
  const query = [...scopeQuery(plan, party, filling), ...queryPairs(plan, filling)];
  // A copy of its own, which mutations may change.
  const filled = fill(plan.body, filling);
  const parts: Parts = {
    method: plan.operation.method,
    segments: segmentsOf(plan, party, filling),
    query,
    headers: { ...actor.headers },
    body: filled,
  };
  for (const [name, value] of Object.entries(plan.headers)) {
    if (value !== undefined) parts.headers[name] = String(fill(value, filling));
  }
  if (parts.body !== undefined) parts.headers["content-type"] = "application/json";
  for (const mutation of plan.mutations) mutate(parts, mutation);
  const payload = payloadOf(parts);
  if (payload !== undefined) parts.headers["content-type"] ??= "application/json";
  return {
    operation: plan.operation,
    actor,
    party,
    method: parts.method,
    url: asSent(parts),
    headers: Object.fromEntries(Object.entries(parts.headers).map(([name, value]) => [name, headerText(value)])),
    payload,
    body: parts.raw === undefined ? parts.body : undefined,
  };
}

function quote(text: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(text);
  if (isPlain) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = Array.from(Buffer.from(text), (byte) =>
    byte < 0x20 || byte > 0x7e || byte === 0x27 || byte === 0x5c
      ? `\\x${byte.toString(16).padStart(2, "0")}`
      : String.fromCharCode(byte),
  );
  return `$'${escaped.join("")}'`;
}

/** The request as somebody would send it by hand. */
export function asCurl({ method, url, headers, payload }: FuzzRequest): string {
  const sent = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  const text = Buffer.isBuffer(payload) ? payload.toString("latin1") : payload;
  return [
    `curl -i -X ${method} ${quote(`http://127.0.0.1:4000${url}`)}`,
    ...sent,
    ...(text === undefined ? [] : [`--data-raw ${quote(text)}`]),
  ].join(" \\\n  ");
}
