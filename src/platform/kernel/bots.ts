// Bots whose requests can be verified: by the addresses that they publish, or by the keys with which they sign requests.

/** Where what verifies a bot is published. */
export interface BotSource {
  /** Also what its user agent contains, where it is verified by its addresses. */
  readonly name: string;
  /** `ranges`: a document of networks; `agent`: an origin with a directory of keys (Web Bot Auth). */
  readonly kind: "ranges" | "agent";
  readonly url: string;
}

export const MAX_BOT_SOURCES = 16;

/** A bot as gates verify it. */
export interface VerifiableBot {
  readonly name: string;
  /** Its origin as it names it in `Signature-Agent`; null: it does not sign. */
  readonly agent: string | null;
  /** Networks that it requests from; empty for one that signs. */
  readonly networks: readonly string[];
  /** Ed25519 public keys: `x` of their JWK; empty for one that does not sign. */
  readonly keys: readonly string[];
}
