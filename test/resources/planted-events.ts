// Plants events into the store of a running service, through `emit` itself.
import { emit } from "../../src/events/events/emit.ts";
import type { EventInput } from "../../src/events/events/emit.ts";
import { systemAct } from "../../src/events/events/system.ts";
import { ALL_PERMISSIONS } from "../../src/platform/kernel/roles.ts";
import type { Database } from "../../src/platform/store/database.ts";
import type { TestUser } from "../harness/test-app.ts";

export interface Planted extends Partial<EventInput> {
  /** The actor; Reeve itself by default. */
  readonly by?: TestUser | { readonly keyId: string; readonly keyName: string; readonly of?: TestUser };
}

function callerOf(by: NonNullable<Planted["by"]>) {
  const isKey = "keyId" in by;
  const user = isKey ? by.of : by;
  const id = isKey ? by.keyId : by.id;
  return {
    kind: isKey ? "key" : "user",
    principalId: id,
    account: user
      ? {
          id: user.id,
          email: user.email,
          username: user.username,
          name: null,
          avatar: null,
          defaultTeamId: null,
          isAdmin: false,
          createdAt: 0,
          revision: 1,
        }
      : null,
    credentialId: isKey ? by.keyId : "a".repeat(64),
    keyName: isKey ? by.keyName : null,
    teamId: null,
    ceiling: ALL_PERMISSIONS,
    limits: null,
    allowedCidrs: null,
    activeAt: 0,
    expiresAt: null,
    provedAt: null,
  } as const;
}

/** Appends events to an owner's chain, all at the moment `now`, in one transaction. */
export async function plantEvents(store: Database, ownerId: string, now: number, planted: readonly Planted[]) {
  await store.transaction(async (tx) => {
    for (const { by, ...input } of planted) {
      const act = systemAct(now);
      await emit(
        tx,
        by
          ? {
              ...act,
              caller: callerOf(by),
              origin: { ...act.origin, ip: "192.0.2.1", userAgent: "test/1", via: "http" },
            }
          : act,
        { type: "team-name-update", ownerId, entityId: ownerId, text: "did something", payload: {}, ...input },
      );
    }
  });
}
