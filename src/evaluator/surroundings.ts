// What of a project, beside its configuration, has a say: attack challenge mode, and who is excepted from it.
import type { Bypass, Surroundings } from "./facts.ts";
import { compileHostPattern } from "./host-pattern.ts";
import type { HostPattern } from "./host-pattern.ts";
import { indexNetworks } from "./network-index.ts";
import type { RequestView } from "./request.ts";

export interface CompiledSurroundings {
  readonly isAttackMode: boolean;
  /** The entry of the bypass list that fits a request. */
  findBypass(request: RequestView): Bypass | undefined;
}

interface CompiledBypass {
  readonly source: Bypass;
  readonly host: HostPattern;
}

function compileBypass(source: Bypass): CompiledBypass {
  return { source, host: compileHostPattern(source.domain ?? "*") };
}

/** Bypasses of one network: by name where they name a host, since there may be thousands. */
function findAmong(bypasses: readonly CompiledBypass[]): (host: string | undefined) => Bypass | undefined {
  const isWhole = ({ host }: CompiledBypass) => host.specificity === "whole";
  const whole = new Map(bypasses.filter(isWhole).map(({ source }) => [source.domain?.toLowerCase(), source]));
  const others = bypasses.filter((bypass) => !isWhole(bypass));
  return (host) => whole.get(host) ?? others.find((bypass) => bypass.host.fits(host))?.source;
}

export function compileSurroundings({ isAttackMode, bypasses }: Surroundings): CompiledSurroundings {
  const compiled = bypasses.map(compileBypass);
  const findForAll = findAmong(compiled.filter(({ source }) => source.ip === null));
  const networks = indexNetworks(
    compiled.flatMap((bypass) => (bypass.source.ip === null ? [] : [[bypass.source.ip, bypass] as const])),
    findAmong,
  );
  return {
    isAttackMode,
    findBypass(request) {
      const host = request.textOf("host");
      let found = findForAll(host);
      if (found || !request.address) return found;
      networks.visit(request.address, (find) => (found = find(host)) !== undefined);
      return found;
    },
  };
}
