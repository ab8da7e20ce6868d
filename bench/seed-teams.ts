// A user who has N teams and N secrets, and a team that has N members.
import { newId, randomHex } from "../src/kernel/ids.ts";
import { positionAt } from "../src/kernel/pagination.ts";
import type { Tx } from "../src/kernel/tx.ts";
import { startChain } from "../src/resources/events/emit.ts";
import { insertMembership } from "../src/resources/members/store.ts";
import { newSettings } from "../src/resources/teams/settings.ts";
import { insertTeam } from "../src/resources/teams/store.ts";
import { seedOwner, seedStore, seedUser } from "./seed.ts";
import { seedSecret } from "./seed-secrets.ts";

export interface TeamSeed {
  /** Token of the user who has all the teams and secrets. */
  readonly token: string;
  readonly teamIds: readonly string[];
  /** The team that has all the members. */
  readonly teamId: string;
  /** When the first of each was made, in ms; each other one was made a millisecond after the one before. */
  readonly start: number;
}

/** A team of its creator. */
export async function seedTeam(tx: Tx, slug: string, creatorId: string, now: number): Promise<string> {
  const id = newId("team");
  await startChain(tx, id, "team");
  await insertTeam(tx, { id, slug, name: slug, creatorId, inviteCode: randomHex(40), settings: newSettings({}), now });
  await seedMember(tx, id, creatorId, "OWNER", now);
  return id;
}

async function seedMember(tx: Tx, teamId: string, userId: string, role: string, now: number): Promise<void> {
  await insertMembership(tx, {
    teamId,
    userId,
    state: "member",
    role,
    joinedFrom: '{"origin":"teams"}',
    projects: "[]",
    teamPermissions: "[]",
    invitedBy: null,
    confirmedAt: now,
    accessRequestedAt: null,
    revision: 1,
    now,
    position: positionAt(now),
  });
}

export async function seedTeams(dataDir: string, size: number): Promise<TeamSeed> {
  const start = Date.now() - size;
  return await seedStore(dataDir, start, async (tx, keyring) => {
    const { ownerId, token } = await seedOwner(tx, start);
    const teamIds: string[] = [];
    for (let i = 0; i < size; i++) {
      teamIds.push(await seedTeam(tx, `team-${i}`, ownerId, start + i));
      await seedSecret(tx, keyring, ownerId, `secret-${i}`, start + i);
    }
    // The oldest one: nobody joins a team before it is made.
    const teamId = teamIds[0] as string;
    for (let i = 0; i < size; i++) {
      const userId = await seedUser(tx, `member-${i}`, start + i);
      await seedMember(tx, teamId, userId, "VIEWER", start + i);
    }
    return { token, teamIds, teamId, start };
  });
}
