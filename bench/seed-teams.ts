// A user who has N teams, N secrets and N events, and a team that has N members.
import { newId, randomHex } from "../src/platform/kernel/ids.ts";
import { DAY_MS } from "../src/platform/kernel/scheduling/clock.ts";
import { positionAt } from "../src/platform/kernel/pagination.ts";
import type { Tx } from "../src/platform/kernel/tx.ts";
import { startChain } from "../src/events/events/emit.ts";
import { insertMembership } from "../src/teams/members/store.ts";
import { addMemberEntry } from "../src/platform/store/search/entries.ts";
import { newSettings } from "../src/teams/teams/settings.ts";
import { insertTeam } from "../src/teams/teams/store.ts";
import { seedOwner, seedStore, seedUser } from "./seed.ts";
import { RARE, seedChain } from "./seed-events.ts";
import { seedSecret } from "./seed-secrets.ts";

export interface TeamSeed {
  /** Token of the user who has all the teams and secrets. */
  readonly token: string;
  readonly teamIds: readonly string[];
  /** The team that has all the members. */
  readonly teamId: string;
  readonly userIds: readonly string[];
  /** When the first of each was made, in ms; each other one was made a millisecond after the one before. */
  readonly start: number;
}

/** How many of each list are rare: a page of them, whatever the size. */
const RARES = 20;
export const RARE_ROLE = "BILLING";
export const [RARE_TAG, USUAL_TAG] = ["rare", "usual"] as const;
const YEAR_MS = 365 * DAY_MS;
/** When a secret ends, if it does: while nothing is measured. */
const endsAt = (start: number, at: number) => start + 2 * YEAR_MS + at;
/** Only rare secrets end before it. */
export const earlyEnd = (start: number) => endsAt(start, 0) - 1;
const GIVEN = ["Anna", "Boris", "Clara", "David", "Elena", "Frank", "Greta", "Hannah", "Igor", "Julia"] as const;
const SYLLABLES = ["ka", "lo", "mi", "ner", "sch", "tu", "ber", "gan", "hol", "wes"] as const;
/** All but the rare members have a role in it. */
export const PROJECT = "web";
const GRANTED = JSON.stringify([{ projectId: PROJECT, role: "ADMIN", position: 1 }]);

/** The given name and the family name of a member: ten thousand pairs. */
export function nameOf(at: number): readonly [given: string, family: string] {
  const number = Math.floor(at / GIVEN.length);
  const family = [number, number / 10, number / 100].map((digit) => SYLLABLES[Math.floor(digit) % SYLLABLES.length]);
  return [GIVEN[at % GIVEN.length] as string, family.join("")];
}

/** A team of its creator. */
export async function seedTeam(tx: Tx, slug: string, creatorId: string, now: number): Promise<string> {
  const id = newId("team");
  await startChain(tx, id, "team");
  await insertTeam(tx, { id, slug, name: slug, creatorId, inviteCode: randomHex(40), settings: newSettings({}), now });
  await seedMember(tx, id, creatorId, { role: "OWNER", now });
  return id;
}

async function seedMember(
  tx: Tx,
  teamId: string,
  userId: string,
  { role, projects = "[]", now }: { readonly role: string; readonly projects?: string; readonly now: number },
): Promise<void> {
  const account = await insertMembership(tx, {
    teamId,
    userId,
    state: "member",
    role,
    joinedFrom: '{"origin":"teams"}',
    projects,
    teamPermissions: "[]",
    invitedBy: null,
    confirmedAt: now,
    accessRequestedAt: null,
    revision: 1,
    now,
    position: positionAt(now),
  });
  await addMemberEntry(tx, teamId, account);
}

export async function seedTeams(dataDir: string, size: number): Promise<TeamSeed> {
  const start = Date.now() - size;
  const isRare = (at: number) => at % (size / RARES) === 0;
  return await seedStore(dataDir, start, async (tx, keyring) => {
    const { ownerId, token } = await seedOwner(tx, start);
    const teamIds: string[] = [];
    for (let i = 0; i < size; i++) {
      teamIds.push(await seedTeam(tx, `team-${i}`, ownerId, start + i));
      await seedSecret(tx, keyring, ownerId, `secret-${i}`, start + i, {
        projectId: isRare(i) ? RARE.project : null,
        tags: isRare(i) ? [RARE_TAG, USUAL_TAG] : [USUAL_TAG],
        // Every other one ends; the rare ones before all others.
        expiresAt: isRare(i) ? endsAt(start, i) - YEAR_MS : i % 2 === 0 ? endsAt(start, i) : null,
      });
    }
    await seedChain(tx, ownerId, size, start, isRare);
    // The oldest one: nobody joins a team before it is made.
    const teamId = teamIds[0] as string;
    const userIds: string[] = [];
    for (let i = 0; i < size; i++) {
      const userId = await seedUser(tx, `member-${i}`, start + i, nameOf(i).join(" "));
      userIds.push(userId);
      const usual = { role: "VIEWER", projects: GRANTED };
      await seedMember(tx, teamId, userId, { ...(isRare(i) ? { role: RARE_ROLE } : usual), now: start + i });
    }
    return { token, teamIds, teamId, userIds, start };
  });
}
