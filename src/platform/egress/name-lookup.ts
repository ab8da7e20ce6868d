// Looks up the addresses of a name: with the system's resolver, or at DNS servers that the operator configures.
import { Resolver, lookup } from "node:dns/promises";

export interface NamedAddress {
  readonly address: string;
  readonly family: number;
}

/** Rejects with an error that has a `code`. Concurrent look-ups of one name share a single one. */
export type NameLookup = (name: string) => Promise<readonly NamedAddress[]>;

const TRIES = 2;

/** One family may have no addresses, or time out; the other one is enough. */
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
  // The second try waits twice as long as the first. Both end before the connection times out, so a DNS server that responds
  // for only one address family still suffices.
  const resolver = new Resolver({ tries: TRIES, timeout: Math.floor(timeoutMs / 5) });
  resolver.setServers(servers);
  return async (name) => await askBoth(resolver, name);
}

/** `timeoutMs` bounds look-ups at DNS servers; the system's resolver has its own bounds. */
export function openNameLookup(servers: readonly string[] | null, timeoutMs: number): NameLookup {
  const ask: NameLookup =
    servers === null ? async (name) => await lookup(name, { all: true }) : openResolver(servers, timeoutMs);
  const inFlight = new Map<string, Promise<readonly NamedAddress[]>>();
  return async (name) => {
    const known = inFlight.get(name);
    if (known) return await known;
    const addresses = ask(name).finally(() => inFlight.delete(name));
    inFlight.set(name, addresses);
    return await addresses;
  };
}
