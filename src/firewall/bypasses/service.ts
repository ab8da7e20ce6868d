// Handlers of the bypass list.
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { ApiError, notFound } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import { beginProject } from "../../teams/projects/existence.ts";
import { projectOf } from "../../platform/kernel/project.ts";
import { ALL_SOURCES, MAX_BYPASSES } from "./bypass-schema.ts";
import type { bypassesContract } from "./contract.ts";
import { listPage } from "./list.ts";
import { removeExpired, hasExpired, removeEntry } from "./removal.ts";
import { bypassId, expiryOf, parseTarget } from "./rules.ts";
import type { BypassTarget } from "./rules.ts";
import { countActive, findBypass, insertBypass, renewBypass } from "./store.ts";
import type { BypassRow } from "./store.ts";
import { addedBypass, describe, entryState, eventPayload } from "./view.ts";

type AddCall = Call<typeof bypassesContract.addBypass>;
type Key = { readonly ownerId: string; readonly projectId: string; readonly id: string };

function isSame(one: BypassRow, other: BypassRow): boolean {
  return one.source === other.source && one.note === other.note && one.expiresAt === other.expiresAt;
}

function keyOf({ scope, query }: Pick<AddCall, "scope" | "query">, target: BypassTarget): Key {
  const projectId = projectOf(query);
  return { ownerId: scope.ownerId, projectId, id: bypassId(projectId, target) };
}

/** The existing entry. Removes it first when it has expired, as the background job would. */
async function findExisting(tx: Tx, key: Key, now: number): Promise<BypassRow | undefined> {
  const row = await findBypass(tx, key);
  if (!row || !hasExpired(row, now)) return row;
  await removeExpired(tx, row, now);
  return undefined;
}

async function requireCapacity(tx: Tx, { ownerId, projectId }: Key, now: number): Promise<void> {
  const { count = 0 } = (await countActive(tx, { ownerId, projectId, now })) ?? {};
  if (count >= MAX_BYPASSES) {
    throw new ApiError("too_many_bypasses", `A project has at most ${MAX_BYPASSES} entries on its bypass list`);
  }
}

/** Inserts or renews an entry. Returns its row. */
async function putEntry(tx: Tx, call: AddCall): Promise<BypassRow> {
  const { body, now, caller } = call;
  const target = parseTarget(body);
  const key = keyOf(call, target);
  const existing = await findExisting(tx, key, now);
  const row: BypassRow = {
    ...key,
    ...target,
    note: body.note ?? existing?.note ?? "",
    actorId: caller.account?.id ?? caller.principalId,
    expiresAt: expiryOf(target, body.ttl, now),
    createdAt: existing?.createdAt ?? now,
    updatedAt: now,
  };
  if (existing && isSame(existing, row)) return existing;
  if (existing) {
    await renewBypass(tx, { ...row, now });
  } else {
    await requireCapacity(tx, key, now);
    await beginProject(tx, call, key.projectId);
    await insertBypass(tx, { ...row, now });
  }
  const { client, list } = describe(row);
  await emit(tx, call, {
    type: "firewall-bypass-created",
    ownerId: key.ownerId,
    entityId: key.id,
    text: existing ? `renewed ${client} on ${list}` : `put ${client} on ${list}`,
    payload: eventPayload(row),
    ...(existing && { previous: entryState(existing) }),
    next: entryState(row),
  });
  return row;
}

export const bypassesService: Implements<typeof bypassesContract> = {
  listBypasses: listPage,

  async addBypass(tx, call) {
    const row = await putEntry(tx, call);
    return { ok: true, result: [addedBypass(row)], pagination: null };
  },

  async removeBypass(tx, call) {
    const target = parseTarget(call.body);
    const find = async (ip: string | null) => {
      const row = await findBypass(tx, keyOf(call, { ...target, ip }));
      return row && !hasExpired(row, call.now) ? row : undefined;
    };
    // The list shows the entry for every client with this address.
    const row = (await find(target.ip)) ?? (target.ip === ALL_SOURCES ? await find(null) : undefined);
    if (!row) throw notFound("Bypass");
    await removeEntry(tx, call, row);
    return { ok: true };
  },
};
