// Entries of the bypass list as responses and events show them.
import { HOUR_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import { WHOLE_PROJECT } from "./bypass-schema.ts";
import type { BypassRow } from "./store.ts";

/** `2030-01-31 12:00:00` */
function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}

function identity({ ownerId, id, domain, source }: BypassRow) {
  return { OwnerId: ownerId, Id: id, Domain: domain, Ip: source };
}

export function addedBypass(row: BypassRow) {
  return {
    ...identity(row),
    ProjectId: row.projectId,
    Note: row.note,
    IsProjectRule: row.domain === WHOLE_PROJECT,
  };
}

export function publicBypass(row: BypassRow) {
  return {
    ...identity(row),
    Action: "bypass" as const,
    ProjectId: row.projectId,
    IsProjectRule: row.domain === WHOLE_PROJECT,
    Note: row.note,
    CreatedAt: timeText(row.createdAt),
    ActorId: row.actorId,
    UpdatedAt: timeText(row.updatedAt),
    UpdatedAtHour: timeText(row.updatedAt - (row.updatedAt % HOUR_MS)),
    // Rounded up, so that no client considers an entry expired before it is.
    ExpiresAt: row.expiresAt === null ? null : Math.ceil(row.expiresAt / SECOND_MS),
  };
}

/** The payload of an event. `*` stands for the whole project, and for any client. */
export function eventPayload({ projectId, domain, ip, source, expiresAt }: BypassRow) {
  return {
    projectId: projectId,
    scope: domain,
    source: ip === null ? "*" : source,
    ...(expiresAt === null ? {} : { expiresAt }),
  };
}

/** Describes the client and the list of an entry for the text of an event. */
export function describe({ projectId, domain, ip, source }: BypassRow): {
  readonly client: string;
  readonly list: string;
} {
  const host = domain === WHOLE_PROJECT ? "" : ` for ${domain}`;
  return { client: ip === null ? "every client" : source, list: `the bypass list of ${projectId}${host}` };
}

/** The members of an entry that a change can affect. */
export function entryState({ source, note, expiresAt }: BypassRow) {
  return { source, note, expiresAt };
}
