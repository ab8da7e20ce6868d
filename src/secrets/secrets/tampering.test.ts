// Somebody changes what is stored: the value concerned is refused, that is recorded, and nothing else is the worse for
// it.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { ENGINE, startOwnApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { TestResponse, TestTeam, TestUser } from "../../../test/harness/test-app.ts";
import { parseGivenKeys } from "../../platform/keyring/keyring.ts";
import { verifyStore } from "../../../test/resources/tampered-chains.ts";

const masterKey = [randomBytes(32), randomBytes(32)].map((key) => key.toString("base64")).join(",");
const [, otherKey] = parseGivenKeys(masterKey, "the test");
const { request, createUser, createTeam, readEvents, query, withStore } = await startOwnApp({ masterKey });

interface Owner {
  readonly user: TestUser;
  readonly team: TestTeam;
}

/** A version of a secret as its owner knows it. */
interface Version {
  readonly owner: Owner;
  readonly uid: string;
  readonly version: number;
  readonly value: string;
}

async function createOwner(): Promise<Owner> {
  const user = await createUser();
  return { user, team: await createTeam(user) };
}

async function send(
  { user, team }: Owner,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  return await request(method, `${path}${path.includes("?") ? "&" : "?"}teamId=${team.id}`, {
    token: user.token,
    headers,
    ...(body === undefined ? {} : { body }),
  });
}

/** A decryptable secret with so many versions, oldest first. */
async function plantSecret(owner: Owner, versions: number): Promise<Version[]> {
  const values = Array.from({ length: versions }, () => `value-${randomBytes(12).toString("hex")}`);
  const body = { name: uniqueName("secret"), value: values[0], decryptable: true };
  const created = await send(owner, "POST", "/v2/secrets", body);
  assert.equal(created.status, 200, created.text);
  const { uid } = created.body;
  for (const value of values.slice(1)) {
    assert.equal((await send(owner, "PUT", `/v2/secrets/${uid}`, { value })).status, 200);
  }
  return values.map((value, index) => ({ owner, uid, version: index + 1, value }));
}

const where = ({ uid, version }: Version) => `secret_id = '${uid}' and version = ${version}`;

async function change(version: Version, assignments: string): Promise<void> {
  await query(`update secret_versions set ${assignments} where ${where(version)}`);
}

const COLUMNS = ["ciphertext", "wrapped_key"] as const;
type Column = (typeof COLUMNS)[number];

function literal(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return ENGINE === "sqlite" ? `x'${hex}'` : `'\\x${hex}'`;
}

async function readSealed(version: Version): Promise<Record<Column, Uint8Array>> {
  const [row] = await query(`select ciphertext, wrapped_key from secret_versions where ${where(version)}`);
  return row as Record<Column, Uint8Array>;
}

async function writeSealed(
  version: Version,
  sealed: Record<Column, Uint8Array>,
  columns = COLUMNS as readonly Column[],
) {
  await change(version, columns.map((column) => `${column} = ${literal(sealed[column])}`).join(", "));
}

async function swap(one: Version, other: Version, columns?: readonly Column[]): Promise<void> {
  const [first, second] = [await readSealed(one), await readSealed(other)];
  await writeSealed(one, second, columns);
  await writeSealed(other, first, columns);
}

async function flipByte(version: Version, column: Column, at: number): Promise<void> {
  const sealed = await readSealed(version);
  const bytes = Buffer.from(sealed[column]);
  const index = at < 0 ? bytes.length + at : at;
  bytes[index] = (bytes[index] as number) ^ 0x80;
  await writeSealed(version, { ...sealed, [column]: bytes });
}

async function read({ owner, uid, version }: Version): Promise<TestResponse> {
  return await send(owner, "GET", `/v2/secrets/${uid}/versions/${version}?decrypt=true`);
}

async function isNewest({ owner, uid, version }: Version): Promise<boolean> {
  return (await send(owner, "GET", `/v3/secrets/${uid}`)).body.version === version;
}

function assertUnreadable({ status, body }: TestResponse, { uid, version }: Version): void {
  const { code, uid: told, version: toldVersion } = body.error ?? {};
  assert.deepEqual([status, code, told, toldVersion], [500, "secret_unreadable", uid, version]);
}

/** The versions that the owner's chain says were found unreadable. */
async function reported({ owner, uid }: Version): Promise<number[]> {
  const events = await readEvents(owner.team.id);
  return events
    .filter(({ type, entityId }) => type === "secret-unreadable" && entityId === uid)
    .map(({ payload }) => payload.version);
}

async function assertChainsHold(): Promise<void> {
  const { firstFault } = await withStore((store) => store.snapshot((tx) => verifyStore(tx)));
  assert.equal(firstFault, null);
}

interface Planted {
  /** Three versions of one secret. */
  readonly a1: Version;
  readonly a2: Version;
  readonly a3: Version;
  /** Another secret of the same team. */
  readonly b1: Version;
  /** A secret of another team. */
  readonly c1: Version;
}

async function plantSecrets(): Promise<Planted> {
  const [owner, other] = [await createOwner(), await createOwner()];
  const [a1, a2, a3] = (await plantSecret(owner, 3)) as [Version, Version, Version];
  const [b1] = (await plantSecret(owner, 1)) as [Version];
  const [c1] = (await plantSecret(other, 1)) as [Version];
  return { a1, a2, a3, b1, c1 };
}

/** What is done to the store, and the versions that it makes unreadable; all others must stay readable. */
interface Tampering {
  readonly what: string;
  tamper(planted: Planted): Promise<void>;
  readonly victims: readonly (keyof Planted)[];
}

const TAMPERINGS: readonly Tampering[] = [
  {
    what: "two secrets' ciphertexts are swapped",
    tamper: ({ a3, b1 }) => swap(a3, b1, ["ciphertext"]),
    victims: ["a3", "b1"],
  },
  {
    what: "two secrets' data keys are swapped",
    tamper: ({ a3, b1 }) => swap(a3, b1, ["wrapped_key"]),
    victims: ["a3", "b1"],
  },
  { what: "two secrets' sealed values are swapped whole", tamper: ({ a3, b1 }) => swap(a3, b1), victims: ["a3", "b1"] },
  { what: "two versions of a secret are swapped", tamper: ({ a1, a3 }) => swap(a1, a3), victims: ["a1", "a3"] },
  { what: "sealed values of two teams are swapped", tamper: ({ a3, c1 }) => swap(a3, c1), victims: ["a3", "c1"] },
  {
    what: "an old version is put in the place of the newest",
    tamper: async ({ a1, a3 }) => writeSealed(a3, await readSealed(a1)),
    victims: ["a3"],
  },
  {
    what: "the row of another team's secret is moved here",
    async tamper({ a3, c1 }) {
      await query(`delete from secret_versions where ${where(a3)}`);
      await change(c1, `owner_id = '${a3.owner.team.id}', secret_id = '${a3.uid}', version = ${a3.version}`);
    },
    victims: ["a3", "c1"],
  },
  { what: "a byte of the nonce is flipped", tamper: ({ a3 }) => flipByte(a3, "ciphertext", 0), victims: ["a3"] },
  { what: "a byte of the ciphertext is flipped", tamper: ({ a3 }) => flipByte(a3, "ciphertext", 12), victims: ["a3"] },
  { what: "a byte of the tag is flipped", tamper: ({ a3 }) => flipByte(a3, "ciphertext", -1), victims: ["a3"] },
  { what: "a byte of the data key is flipped", tamper: ({ a2 }) => flipByte(a2, "wrapped_key", 20), victims: ["a2"] },
  { what: "the ciphertext is emptied", tamper: ({ a1 }) => change(a1, "ciphertext = ''"), victims: ["a1"] },
  {
    what: "the data key is emptied",
    tamper: ({ a3 }) => change(a3, `wrapped_key = ${literal(Buffer.alloc(0))}`),
    victims: ["a3"],
  },
  {
    what: "the ciphertext becomes a text",
    tamper: ({ a3 }) => change(a3, `ciphertext = '${"text".repeat(20)}'`),
    victims: ["a3"],
  },
  {
    what: "another master key that is there is named",
    tamper: ({ a3 }) => change(a3, `key_id = '${otherKey?.id}'`),
    victims: ["a3"],
  },
];

describe("a tampered value is refused alone", () => {
  for (const { what, tamper, victims } of TAMPERINGS) {
    test(what, async () => {
      const planted = await plantSecrets();
      await tamper(planted);
      for (const [key, version] of Object.entries(planted) as [keyof Planted, Version][]) {
        if (!victims.includes(key)) {
          const { status, body } = await read(version);
          assert.deepEqual([status, body.value], [200, version.value], key);
        }
      }
      for (const key of victims) {
        const victim = planted[key];
        const path = `/v2/secrets/${victim.uid}`;
        // A row that was moved away leaves no version behind; the secret itself knows which one is missing.
        const decrypt = async () =>
          (await isNewest(victim)) ? await send(victim.owner, "GET", `${path}?decrypt=true`) : await read(victim);
        const before = await reported(victim);
        assertUnreadable(await decrypt(), victim);
        assertUnreadable(await decrypt(), victim);
        assert.deepEqual(await reported(victim), [...before, victim.version, victim.version], "one event per attempt");

        const plain = await send(victim.owner, "GET", path);
        assert.deepEqual([plain.status, plain.body.uid], [200, victim.uid]);
        assert.equal((await send(victim.owner, "GET", `${path}/versions`)).status, 200);
        assert.equal((await send(victim.owner, "PATCH", path, { description: "found unreadable" })).status, 200);
        const repaired = await send(victim.owner, "PUT", path, { value: `new-${victim.value}` });
        assert.equal(repaired.status, 200, repaired.text);
        const again = await send(victim.owner, "GET", `${path}?decrypt=true`);
        assert.deepEqual([again.status, again.body.value], [200, `new-${victim.value}`]);
      }
      await assertChainsHold();
    });
  }
});

test("a secret whose rows are moved to another team decrypts no version there", async () => {
  const { a1, a2, a3, c1 } = await plantSecrets();
  const { team } = c1.owner;
  await query(
    `update secrets set owner_id = '${team.id}', team_id = '${team.id}', position = position + 100
      where id = '${a1.uid}'`,
  );
  for (const table of ["secret_names", "secret_versions"]) {
    await query(`update ${table} set owner_id = '${team.id}' where secret_id = '${a1.uid}'`);
  }
  for (const version of [a1, a2, a3]) {
    assert.equal((await read(version)).status, 404);
    const moved = { ...version, owner: c1.owner };
    assertUnreadable(await read(moved), moved);
  }
  assert.deepEqual(await reported({ ...a1, owner: c1.owner }), [1, 2, 3]);
  await assertChainsHold();
});

test("restoring a version that cannot be decrypted changes nothing, and its idempotency key stores no response", async () => {
  const { a1, a2 } = await plantSecrets();
  const sealed = await readSealed(a1);
  await writeSealed(a1, await readSealed(a2));
  const state = async () => [
    await query(`select version, revision, updated_at from secrets where id = '${a1.uid}'`),
    await query(`select version, size from secret_versions where secret_id = '${a1.uid}' order by version`),
    await query("select count(*) as records from idempotency_records"),
  ];
  const restore = () =>
    send(a1.owner, "POST", `/v2/secrets/${a1.uid}/versions/1/restore`, {}, { "idempotency-key": "restore" });
  const before = await state();
  for (const attempt of [1, 2]) {
    const refused = await restore();
    assertUnreadable(refused, a1);
    assert.equal(refused.headers["idempotency-replayed"], undefined);
    assert.equal((await reported(a1)).length, attempt);
  }
  assert.deepEqual(await state(), before);
  await assertChainsHold();

  await writeSealed(a1, sealed);
  const restored = await restore();
  assert.deepEqual([restored.status, restored.body.version], [200, 4], restored.text);
  assert.equal((await read({ ...a1, version: 4 })).body.value, a1.value);
});
