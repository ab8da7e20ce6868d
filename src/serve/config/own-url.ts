// Where people open this server.
import type { Settings } from "./config.ts";

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);
/** Every address of the machine. */
const WILDCARDS: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

type Place = Pick<Settings, "publicUrl" | "host" | "port">;

/**
 * The base of links for people, without a slash at the end: REEVE_PUBLIC_URL, or a server that listens on its own machine alone.
 * There it is `localhost`, because browsers make no passkeys for IP addresses. Null: only REEVE_PUBLIC_URL could tell.
 */
export function ownUrl({ publicUrl, host, port }: Place): string | null {
  if (publicUrl !== null) return publicUrl;
  return LOOPBACK.has(host) && port > 0 ? `http://localhost:${port}` : null;
}

/** What to tell the operator, who is at the machine or has a way to its port; null: the address is all there is. */
export function shownUrl(place: Place): string | null {
  return ownUrl(WILDCARDS.has(place.host) ? { ...place, host: "localhost" } : place);
}
