// Where people open this server.
import type { Settings } from "./config.ts";

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

/**
 * The base of links for people, without a slash at the end: REEVE_PUBLIC_URL, or a server that listens on its own machine alone.
 * There it is `localhost`, because browsers make no passkeys for IP addresses. Null: only REEVE_PUBLIC_URL could tell.
 */
export function ownUrl({ publicUrl, host, port }: Pick<Settings, "publicUrl" | "host" | "port">): string | null {
  if (publicUrl !== null) return publicUrl;
  return LOOPBACK.has(host) && port > 0 ? `http://localhost:${port}` : null;
}
