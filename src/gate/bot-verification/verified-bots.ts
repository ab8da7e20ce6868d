// Which verified bot a request is from: one that has signed it, or one whose published networks contain the client and whose name is in
// the user agent. A user agent alone, which anybody can send, verifies nobody.
import { createPublicKey, hash } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { indexNetworks } from "../../firewall/evaluator/index/network-index.ts";
import { readAddress } from "../../firewall/evaluator/request/address.ts";
import type { VerifiableBot } from "../../platform/kernel/bots.ts";
import { headerOf } from "../message.ts";
import type { GateRequest } from "../message.ts";
import { findSigner } from "./signed-request.ts";

export interface VerifiedBots {
  /** The name of the bot; undefined: it is from none, or the client only claims to be one. */
  find(request: GateRequest, now: number): string | undefined;
}

interface Agent {
  readonly name: string;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

/** RFC 7638: the name of a key in signatures. */
function thumbprint(x: string): string {
  return hash("sha256", `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, "base64url");
}

function agentsOf(bots: readonly VerifiableBot[]): ReadonlyMap<string, Agent> {
  return new Map(
    bots.flatMap(({ name, agent, keys }) => {
      if (agent === null) return [];
      const byId = keys.map(
        (x) => [thumbprint(x), createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })] as const,
      );
      return [[agent, { name, keys: new Map(byId) }] as const];
    }),
  );
}

let last: { readonly text: string; readonly compiled: VerifiedBots } | undefined;

/** The bundles of all projects have the same bots, which are compiled once. */
export function compileVerifiedBots(bots: readonly VerifiableBot[]): VerifiedBots {
  const text = JSON.stringify(bots);
  if (last?.text !== text) last = { text, compiled: compile(bots) };
  return last.compiled;
}

function compile(bots: readonly VerifiableBot[]): VerifiedBots {
  const agents = agentsOf(bots);
  const networks = indexNetworks(
    bots.flatMap(({ name, networks: own }) => own.map((network) => [network, name] as const)),
    (names) => names.map((name) => ({ name, lower: name.toLowerCase() })),
  );
  const hasNetworks = bots.some(({ networks: own }) => own.length > 0);

  function findByAddress(request: GateRequest): string | undefined {
    const address = hasNetworks ? readAddress(request.ip ?? "") : undefined;
    if (!address) return undefined;
    const userAgent = (headerOf(request, "user-agent") ?? "").toLowerCase();
    let found: string | undefined;
    networks.visit(address, (names) => {
      found = names.find(({ lower }) => userAgent.includes(lower))?.name;
      return found !== undefined;
    });
    return found;
  }

  return {
    find(request, now) {
      const signer =
        agents.size === 0 ? undefined : findSigner(request, (agent, keyId) => agents.get(agent)?.keys.get(keyId), now);
      return signer === undefined ? findByAddress(request) : agents.get(signer)?.name;
    },
  };
}
