// An owner with N events in a valid chain, made without the handlers that would emit them.
import { newId, randomHex } from "../src/platform/kernel/ids.ts";
import type { Tx } from "../src/platform/kernel/tx.ts";
import { chainHash } from "../src/events/events/chain.ts";
import { advanceHead, insertEvent } from "../src/events/events/store.ts";
import { seedOwner, seedStore } from "./seed.ts";

export interface EventSeed {
  readonly token: string;
  /** When the first was recorded, in ms; each other one was recorded a millisecond after the one before. */
  readonly start: number;
}

const TYPES = ["secret-add", "secret-rename", "secret-delete", "team-member-join", "deployment.created"] as const;
/** Things that events are about, and projects: each has many. */
const THINGS = 500;
const PROJECTS = 20;

/** What a few events of a chain are of: `isRare` chooses them. */
export const RARE = { type: "secret-reveal", principal: "user_rare", thing: "secret_rare", project: "rare" } as const;

export async function seedChain(
  tx: Tx,
  ownerId: string,
  size: number,
  start: number,
  isRare: (at: number) => boolean = () => false,
): Promise<void> {
  const things = Array.from({ length: THINGS }, () => newId("secret"));
  const actor = JSON.stringify({
    account: { username: "owner", email: "owner@example.com", name: null, avatar: null },
  });
  const entities = JSON.stringify([{ type: "author", start: 0, end: 5 }]);
  const credentialId = randomHex(64);
  let hash = "";
  for (let at = 1; at <= size; at++) {
    const rare = isRare(at) ? RARE : undefined;
    const thing = rare?.thing ?? (things[at % THINGS] as string);
    const project = rare?.project ?? `project-${at % PROJECTS}`;
    const event = {
      ownerId,
      sequence: at,
      id: newId("event"),
      type: rare?.type ?? (TYPES[at % TYPES.length] as string),
      createdAt: start + at,
      actorKind: "user",
      principalId: rare?.principal ?? ownerId,
      userId: ownerId,
      credentialId,
      actor,
      via: "http",
      ip: "192.0.2.1",
      userAgent: "bench/1",
      requestId: newId("request"),
      entityId: thing,
      projectId: project,
      text: `owner changed the secret ${thing}`,
      entities,
      payload: JSON.stringify({ secretId: thing, projectId: project, name: `secret-${at % THINGS}` }),
      previous: null,
      next: null,
    };
    hash = chainHash(hash, event);
    await insertEvent(tx, { ...event, hash });
  }
  await advanceHead(tx, { ownerId, sequence: size, hash, eventAt: start + size });
}

/** A store of one user with so many events. */
export async function seedEvents(dataDir: string, size: number): Promise<EventSeed> {
  const start = Date.now() - size;
  return await seedStore(dataDir, start, async (tx) => {
    const { ownerId, token } = await seedOwner(tx, start);
    await seedChain(tx, ownerId, size, start);
    return { token, start };
  });
}
