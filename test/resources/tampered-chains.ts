// Tampers with event chains as an attacker with write access to the store, who knows their format.
import { generateKeyPairSync } from "node:crypto";
import { keySources } from "../../src/serve/config/data-paths.ts";
import { openKeyring } from "../../src/platform/keyring/keyring.ts";
import { chainHash } from "../../src/events/events/chain.ts";
import type { UnsignedEvent } from "../../src/events/events/chain.ts";
import { verifyChains } from "../../src/events/events/verify/verify.ts";
import type { VerifyOptions, VerifyResult } from "../../src/events/events/verify/verify.ts";
import type { Tx } from "../../src/platform/kernel/tx.ts";
import { keyIdOf, publicKeyText, signStatement } from "../../src/events/checkpoints/signature.ts";
import { readStoreKeys, trustStoreKeys } from "../../src/events/checkpoints/trust.ts";
import type { Body, TestApp, TestTeam } from "../harness/test-app.ts";

/** A row that SQL text has read, with its columns as statements name them. */
export function rowOf(stored: Readonly<Record<string, unknown>>): Body {
  const name = (column: string) => column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(stored).map(([column, value]) => [name(column), value]));
}

/** Verifies all chains; believes the keys that the store itself names, unless the options name others. */
export async function verifyStore(tx: Tx, options: Partial<VerifyOptions> = {}): Promise<VerifyResult> {
  return await verifyChains(tx, { trust: trustStoreKeys(await readStoreKeys(tx, null)), ...options });
}

export function openTampering({ query, withStore, settings }: TestApp) {
  async function verify(options?: Partial<VerifyOptions>) {
    return await withStore((store) => store.snapshot((tx) => verifyStore(tx, options)));
  }

  /** The same with the master key, which proves the store's own signing key. */
  async function verifyWithMasterKey(options?: Partial<VerifyOptions>) {
    const keyring = openKeyring(keySources(settings));
    return await withStore((store) =>
      store.snapshot(async (tx) =>
        verifyStore(tx, { trust: trustStoreKeys(await readStoreKeys(tx, keyring)), ...options }),
      ),
    );
  }

  /** Runs SQL as an attacker with write access to the store. */
  async function tamper(...statements: readonly string[]): Promise<void> {
    await withStore(async ({ admin }) => {
      for (const sql of statements) await admin.exec(sql);
    });
  }

  async function readChain({ id }: TestTeam): Promise<Body[]> {
    return await query(`select * from events where owner_id = '${id}' order by sequence`);
  }

  /** Changes an event, and all hashes from there to the head, so that the chain is whole. */
  async function rewrite(team: TestTeam, sequence: number): Promise<void> {
    const rows = await readChain(team);
    let previous = rows[sequence - 2]?.hash ?? "";
    for (const row of rows.slice(sequence - 1)) {
      const text = row.sequence === sequence ? "Reeve did something else" : row.text;
      const numbers = { sequence: Number(row.sequence), createdAt: Number(row.created_at) };
      previous = chainHash(previous, { ...(rowOf(row) as UnsignedEvent), ...numbers, text });
      await tamper(
        `update events set text = '${text}', hash = '${previous}'
          where owner_id = '${team.id}' and sequence = ${row.sequence}`,
      );
    }
    await tamper(`update owners set hash = '${previous}' where id = '${team.id}'`);
  }

  /** Does what changes the store, and puts it back. */
  async function meanwhile(work: () => Promise<void>): Promise<void> {
    const tables = ["events", "event_checkpoints", "signing_keys"];
    await tamper(
      ...[...tables, "owners"].flatMap((table) => [
        `drop table if exists kept_${table}`,
        `create table kept_${table} as select * from ${table}`,
      ]),
    );
    try {
      await work();
    } finally {
      await tamper(
        ...tables.flatMap((table) => [`delete from ${table}`, `insert into ${table} select * from kept_${table}`]),
        `update owners set (sequence, hash) = (select sequence, hash from kept_owners where kept_owners.id = owners.id)`,
      );
    }
  }

  /**
   * Another key, with a row of its own in the store, and every checkpoint signed with it instead. `sealedUnder` names the master key that is
   * said to seal its private half.
   */
  async function replaceKey(sealedUnder?: string): Promise<void> {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const keyId = keyIdOf(publicKey);
    await tamper(`update signing_keys set id = '${keyId}', public_key = '${publicKeyText(publicKey)}'`);
    if (sealedUnder !== undefined) await tamper(`update signing_keys set key_id = '${sealedUnder}'`);
    for (const row of (await query("select * from event_checkpoints")) as Body[]) {
      const { signature } = signStatement(privateKey, {
        ownerId: row.owner_id,
        sequence: Number(row.sequence),
        hash: row.hash,
        eventAt: Number(row.event_at),
        createdAt: Number(row.created_at),
        reason: row.reason,
        keyId,
      });
      await tamper(
        `update event_checkpoints set signature = '${signature}', signing_key_id = '${keyId}'
          where owner_id = '${row.owner_id}' and sequence = ${row.sequence}`,
      );
    }
  }
  return { verify, verifyWithMasterKey, tamper, readChain, rewrite, meanwhile, replaceKey };
}
