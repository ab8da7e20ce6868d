// Fills a data directory with a user who has N teams and a team that has N members, through the stores' own
// statements.
import { openDatabase } from "../src/runtime/backend.ts";
import { readSettings } from "../src/config.ts";
import { describeCredential } from "../src/kernel/credential.ts";
import { newId, randomHex } from "../src/kernel/ids.ts";
import { positionAt } from "../src/kernel/pagination.ts";
import type { Tx } from "../src/kernel/tx.ts";
import { startChain } from "../src/resources/events/emit.ts";
import { insertMembership } from "../src/resources/members/store.ts";
import { NO_SETTINGS } from "../src/resources/teams/settings.ts";
import { insertTeam } from "../src/resources/teams/store.ts";
import { bootstrapInstance } from "../src/resources/users/bootstrap.ts";
import { insertUser } from "../src/resources/users/store.ts";
import { insertToken } from "../src/resources/tokens/store.ts";
import { migrate } from "../src/store/migrate.ts";
import { sqliteFile } from "../src/runtime/backend.ts";
import { BENCH_TOKEN } from "./processes.ts";

export interface Seed {
  /** Token of the user who has all the teams. */
  readonly token: string;
  /** The team that has all the members. */
  readonly teamId: string;
}

async function seedUser(tx: Tx, username: string, now: number): Promise<string> {
  const id = newId("user");
  await startChain(tx, id, "user");
  const email = `${username}@example.com`;
  await insertUser(tx, {
    id,
    email,
    emailKey: email,
    username,
    usernameKey: username,
    name: null,
    isAdmin: 0,
    now,
    position: positionAt(now),
  });
  return id;
}

async function seedTeam(tx: Tx, slug: string, creatorId: string, now: number): Promise<string> {
  const id = newId("team");
  await startChain(tx, id, "team");
  await insertTeam(tx, { id, slug, name: slug, creatorId, inviteCode: randomHex(40), settings: NO_SETTINGS, now });
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
    invitedBy: null,
    confirmedAt: now,
    accessRequestedAt: null,
    now,
    position: positionAt(now),
  });
}

export async function seed(dataDir: string, size: number): Promise<Seed> {
  const settings = readSettings({ dataDir }, {});
  const database = await openDatabase(settings);
  const start = Date.now() - size;
  await migrate(database, sqliteFile(settings), start);
  await database.transaction((tx) => bootstrapInstance(tx, BENCH_TOKEN, start));
  const credential = describeCredential(`bench_${randomHex(40)}`);
  const teamId = await database.transaction(async (tx) => {
    const ownerId = await seedUser(tx, "owner", start);
    await insertToken(tx, {
      id: newId("token"),
      userId: ownerId,
      hash: credential.hash,
      name: "bench",
      prefix: credential.prefix,
      suffix: credential.suffix,
      origin: "manual",
      teamId: null,
      expiresAt: null,
      now: Date.now(),
      position: positionAt(start),
    });
    let last = "";
    for (let i = 0; i < size; i++) {
      last = await seedTeam(tx, `team-${i}`, ownerId, start + i);
      await seedMember(tx, last, ownerId, "OWNER", start + i);
    }
    for (let i = 0; i < size; i++) {
      const userId = await seedUser(tx, `member-${i}`, start + i);
      await seedMember(tx, last, userId, "VIEWER", start + i);
    }
    return last;
  });
  await database.admin.exec("analyze");
  await database.admin.query("pragma wal_checkpoint(truncate)");
  await database.close();
  return { token: credential.value, teamId };
}
