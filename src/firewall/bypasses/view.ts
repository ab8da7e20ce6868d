// Entries of the bypass list as responses and events show them.
import { HOUR_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import { WHOLE_PROJECT } from "./bypass-schema.ts";
import type { BypassRow } from "./store.ts";

/** `2030-01-31 12:00:00` */
function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}

function identity({ owner_id, id, domain, source }: BypassRow) {
  return { OwnerId: owner_id, Id: id, Domain: domain, Ip: source };
}

export function addedBypass(row: BypassRow) {
  return {
    ...identity(row),
    ProjectId: row.project_id,
    Note: row.note,
    IsProjectRule: row.domain === WHOLE_PROJECT,
  };
}

export function publicBypass(row: BypassRow) {
  return {
    ...identity(row),
    Action: "bypass" as const,
    ProjectId: row.project_id,
    IsProjectRule: row.domain === WHOLE_PROJECT,
    Note: row.note,
    CreatedAt: timeText(row.created_at),
    ActorId: row.actor_id,
    UpdatedAt: timeText(row.updated_at),
    UpdatedAtHour: timeText(row.updated_at - (row.updated_at % HOUR_MS)),
    // Rounded up, so that no client considers an entry expired before it is.
    ExpiresAt: row.expires_at === null ? null : Math.ceil(row.expires_at / SECOND_MS),
  };
}

/** The payload of an event. `*` stands for the whole project, and for any client. */
export function eventPayload({ project_id, domain, ip, source, expires_at }: BypassRow) {
  return {
    projectId: project_id,
    scope: domain,
    source: ip === null ? "*" : source,
    ...(expires_at === null ? {} : { expiresAt: expires_at }),
  };
}

/** Describes the client and the list of an entry for the text of an event. */
export function describe({ project_id, domain, ip, source }: BypassRow): {
  readonly client: string;
  readonly list: string;
} {
  const host = domain === WHOLE_PROJECT ? "" : ` for ${domain}`;
  return { client: ip === null ? "every client" : source, list: `the bypass list of ${project_id}${host}` };
}

/** The members of an entry that a change can affect. */
export function entryState({ source, note, expires_at }: BypassRow) {
  return { source, note, expiresAt: expires_at };
}
