// What an application tells `createGate`.
import type { GateLog } from "./gate-log.ts";

export interface GateOptions {
  /** URL of the control plane. */
  readonly server: string;
  /** API key with the permission `gate:connect`. */
  readonly key: string;
  /** Slug or id of the team; by default what the key belongs to. */
  readonly team?: string;
  /** The project whose firewall applies. */
  readonly project: string;
  /** Folder of the last bundle, with which the application starts while the control plane is away. By default there is none. */
  readonly dir?: string;
  /** Networks of proxies whose `X-Forwarded-*` headers are believed; loopback by default. */
  readonly trustedProxies?: readonly string[];
  /** What happens to requests while there has never been a bundle because Reeve is away; `open` (let through) by default. */
  readonly whenNoBundle?: "open" | "closed";
  /** What happens to a request that the evaluator fails on or takes more than 5 ms for; `closed` (refused) by default. */
  readonly whenError?: "open" | "closed";
  /** What happens to a request whose body a rule reads and the gate cannot; `closed` (refused) by default. */
  readonly whenBodyUnread?: "open" | "closed";
  /** Bytes of a body that rules may decide by; 65 536 by default. */
  readonly bodyLimit?: number;
  /** `redis://`, `rediss://` or `unix:`: where several gates share counters. By default each counts by itself. */
  readonly redisUrl?: string;
  /** Only record what would be refused; false by default. */
  readonly detectOnly?: boolean;
  /** RATE_LIMIT_SECRET of applications that ask for rate limits by id (`checkRateLimit`); without it none may ask. */
  readonly rateLimitSecret?: string;
  /** Folder of databases of countries and networks (`reeve gate geo update`); without it both are unknown. */
  readonly geoDir?: string;
  /** Header in which trusted proxies say the JA4 digest of the client's TLS handshake; without it the digest is unknown. */
  readonly ja4Header?: string;
  /** Where the gate says what its operator has to know; by default warnings and errors go to the console. */
  readonly log?: GateLog;
}
