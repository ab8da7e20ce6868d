// The address entries of a configuration (`ips`): finds those that match a request, the most specific first.
import type { IpEntry } from "../config.ts";
import type { Cause } from "../decision.ts";
import { compileHostPattern } from "../request/host-pattern.ts";
import type { HostPattern } from "../request/host-pattern.ts";
import { indexNetworks } from "./network-index.ts";
import type { RequestView } from "../request/request.ts";

export interface CompiledEntry {
  readonly source: IpEntry;
  readonly cause: Cause;
  readonly host: HostPattern;
}

/** The entries of one network. Entries for whole host names are indexed by name: there may be thousands. */
interface NetworkEntries {
  readonly whole: ReadonlyMap<string, readonly CompiledEntry[]>;
  readonly below: readonly CompiledEntry[];
  readonly all: readonly CompiledEntry[];
}

function compileEntry(source: IpEntry): CompiledEntry {
  return { source, cause: { phase: "ip", id: source.id, name: null }, host: compileHostPattern(source.hostname) };
}

function groupEntries(entries: readonly CompiledEntry[]): NetworkEntries {
  const of = (specificity: HostPattern["specificity"]) =>
    entries.filter(({ host }) => host.specificity === specificity);
  return {
    whole: Map.groupBy(of("whole"), ({ source }) => source.hostname.toLowerCase()),
    below: of("below"),
    all: of("all"),
  };
}

export interface AddressEntries {
  /** Calls `shouldStop` with each entry that matches, in the order of docs/firewall.md, until it returns true. */
  visit(request: RequestView, shouldStop: (entry: CompiledEntry) => boolean): void;
}

export function compileEntries(ips: readonly IpEntry[]): AddressEntries {
  const networks = indexNetworks(
    ips.map((entry) => [entry.ip, compileEntry(entry)] as const),
    groupEntries,
  );
  return {
    visit(request, shouldStop) {
      const { address } = request;
      if (ips.length === 0 || address === undefined) return;
      networks.visit(address, ({ whole, below, all }) => {
        const host = whole.size + below.length > 0 ? request.textOf("host") : undefined;
        if (host !== undefined && whole.get(host)?.some(shouldStop)) return true;
        return below.some((entry) => entry.host.matches(host) && shouldStop(entry)) || all.some(shouldStop);
      });
    },
  };
}
