// URLs of Redis and Valkey servers.

export const REDIS_URL_FORM =
  "redis://HOST:PORT, rediss://HOST:PORT (TLS), each with USER:PASSWORD@ and /DATABASE where needed, or unix:/PATH/OF/SOCKET";

/** `redis://user:password@host:6379/0`, the same with `rediss:`, or `unix:/run/redis.sock` */
export function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  if (search !== "" || hash !== "") return false;
  if (protocol === "unix:") return /^unix:(?:\/\/)?\/[^/]/.test(text);
  return /^rediss?:$/.test(protocol) && hostname !== "" && /^(?:\/\d{0,4})?$/.test(pathname);
}
