// Entries of the bypass list as answers and events show them.
import { HOUR_MS, SECOND_MS } from "../../kernel/scheduling/clock.ts";
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
    // Rounded up: no client thinks it over while it holds.
    ExpiresAt: row.expires_at === null ? null : Math.ceil(row.expires_at / SECOND_MS),
  };
}

/** What events say of an entry; `*` stands for the whole project, and for all sources. */
export function eventPayload({ project_id, domain, ip, source, expires_at }: BypassRow) {
  return {
    projectId: project_id,
    scope: domain,
    source: ip === null ? "*" : source,
    ...(expires_at === null ? {} : { expiresAt: expires_at }),
  };
}

/** Whom an entry is about, in words. */
export function describe({ project_id, domain, ip, source }: BypassRow): {
  readonly who: string;
  readonly where: string;
} {
  const host = domain === WHOLE_PROJECT ? "" : ` for ${domain}`;
  return { who: ip === null ? "every client" : source, where: `the bypass list of ${project_id}${host}` };
}

/** What may change of an entry. */
export function entryState({ source, note, expires_at }: BypassRow) {
  return { source, note, expiresAt: expires_at };
}
