// The addresses of a name: from the system's resolver, or from DNS servers that the operator names.
import { Resolver, lookup } from "node:dns/promises";

export interface NamedAddress {
  readonly address: string;
  readonly family: number;
}

/** Rejects with an error that has a `code`. Of one name no second lookup begins before the first has ended. */
export type NameLookup = (name: string) => Promise<readonly NamedAddress[]>;

const TRIES = 2;

/** One family may have no addresses, or no answer in time; the other is enough. */
async function askBoth(resolver: Resolver, name: string): Promise<readonly NamedAddress[]> {
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [
    ...(ipv6.status === "fulfilled" ? ipv6.value.map((address) => ({ address, family: 6 })) : []),
    ...(ipv4.status === "fulfilled" ? ipv4.value.map((address) => ({ address, family: 4 })) : []),
  ];
  if (addresses.length === 0 && ipv4.status === "rejected") throw ipv4.reason;
  return addresses;
}

function openResolver(servers: readonly string[], timeoutMs: number): NameLookup {
  // The second try waits twice as long as the first: together they end before a connection is given up, so that a server
  // that answers for one family alone still serves.
  const resolver = new Resolver({ tries: TRIES, timeout: Math.floor(timeoutMs / 5) });
  resolver.setServers(servers);
  return async (name) => await askBoth(resolver, name);
}

/** `timeoutMs` bounds what waits for an answer; the system's resolver knows no bound of ours. */
export function openNameLookup(servers: readonly string[] | null, timeoutMs: number): NameLookup {
  const ask: NameLookup =
    servers === null ? async (name) => await lookup(name, { all: true }) : openResolver(servers, timeoutMs);
  const underWay = new Map<string, Promise<readonly NamedAddress[]>>();
  return async (name) => {
    const asked = underWay.get(name);
    if (asked) return await asked;
    const answer = ask(name).finally(() => underWay.delete(name));
    underWay.set(name, answer);
    return await answer;
  };
}
