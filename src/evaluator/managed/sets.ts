// The managed rule sets and the categories of `crs`: tables of signatures. What they mean is said in docs/firewall.md.
import type { CrsCategory, ManagedSet } from "../config.ts";
import { AI_BOTS } from "./ai-bots.ts";
import { BOT_FILTER, BOT_PROTECTION } from "./bots.ts";
import { COMMANDS } from "./commands.ts";
import { GENERIC } from "./generic.ts";
import { JAVA } from "./java.ts";
import { LOCAL_FILES } from "./local-files.ts";
import { MULTIPART } from "./multipart.ts";
import { PHP } from "./php.ts";
import { PROBES } from "./probes.ts";
import { REMOTE_FILES } from "./remote-files.ts";
import { SCANNERS } from "./scanners.ts";
import { SCRIPTING } from "./scripting.ts";
import { SESSIONS } from "./sessions.ts";
import { SQL } from "./sql.ts";
import { TRAFFIC_SOURCES } from "./traffic-sources.ts";

/** What of a request a signature reads. `body` is the text as it is and, besides, decoded as a form is. */
export type Target =
  | "path"
  | "raw_path"
  | "query_names"
  | "query_values"
  | "headers"
  | `header:${string}`
  | "cookies"
  | "user_agent"
  | "method"
  | "body"
  | "bot_name"
  | "bot_category"
  | "bot_status"
  | "bot_protection"
  | "traffic_source";

export interface Signature {
  readonly id: string;
  readonly summary: string;
  readonly targets: readonly Target[];
  /** RE2, found without regard to case in a value of a target. */
  readonly pattern?: string;
  /** Instead: fires when no target has a value. */
  readonly isAbsent?: true;
  /** In lower case; one of them is in every text that the pattern is found in, so most texts pass unread. */
  readonly literals?: readonly string[];
}

export interface SignatureSet {
  readonly defaultAction: "log" | "challenge" | "deny";
  readonly signatures: readonly Signature[];
}

export const MANAGED: Readonly<Record<Exclude<ManagedSet, "owasp">, SignatureSet>> = {
  bot_protection: BOT_PROTECTION,
  bot_filter: BOT_FILTER,
  ai_bots: AI_BOTS,
  traffic_sources: TRAFFIC_SOURCES,
  vercel_ruleset: PROBES,
};

export const CRS: Readonly<Record<CrsCategory, SignatureSet>> = {
  sd: SCANNERS,
  ma: MULTIPART,
  lfi: LOCAL_FILES,
  rfi: REMOTE_FILES,
  rce: COMMANDS,
  php: PHP,
  gen: GENERIC,
  xss: SCRIPTING,
  sqli: SQL,
  sf: SESSIONS,
  java: JAVA,
};
