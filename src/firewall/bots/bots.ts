// What is known of verified bots: gates get it with each bundle, and what reads it from the bots writes it here.
import type { BotSource, VerifiableBot } from "../../platform/kernel/bots.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { deleteOtherBots, listBots, saveBot } from "./store.ts";

/** What was read from a source, and when; ms. */
export interface ReadBot extends BotSource {
  readonly checkedAt: number;
}

export async function listReadBots(tx: Tx): Promise<readonly ReadBot[]> {
  return (await listBots(tx, {})).map(({ url, name, kind, checkedAt }) => ({ url, name, kind, checkedAt }));
}

/** The bots as gates verify them. */
export async function listVerifiableBots(tx: Tx): Promise<readonly VerifiableBot[]> {
  return (await listBots(tx, {})).map(({ url, name, kind, facts }) => {
    const read = JSON.parse(facts) as readonly string[];
    return kind === "agent"
      ? { name, agent: url, networks: [], keys: read }
      : { name, agent: null, networks: read, keys: [] };
  });
}

interface BotFacts {
  readonly source: BotSource;
  /** Networks, or public keys. */
  readonly facts: readonly string[];
}

/** Of all bots together: a gate indexes them at once. */
const MAX_FACTS = 6_000;

/** Throws when there would be too much to know of all bots. */
export async function storeBot(tx: Tx, { source, facts }: BotFacts, now: number): Promise<void> {
  const others = (await listBots(tx, {})).filter(({ url }) => url !== source.url);
  const count = others.reduce((sum, { facts: text }) => sum + (JSON.parse(text) as unknown[]).length, facts.length);
  if (count > MAX_FACTS) throw new Error(`expected at most ${MAX_FACTS} networks and keys of all bots together`);
  await saveBot(tx, { ...source, facts: JSON.stringify(facts), now });
}

/** Forgets the bots of other sources. */
export async function keepBots(tx: Tx, { urls }: { readonly urls: readonly string[] }): Promise<void> {
  await deleteOtherBots(tx, { urls: JSON.stringify(urls) });
}
