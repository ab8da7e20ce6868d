// The managed rule sets and the categories of `crs`: tables of signatures. What they mean is said in docs/firewall.md.
import type { CrsCategory, ManagedSet } from "../config.ts";

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

function empty(defaultAction: SignatureSet["defaultAction"]): SignatureSet {
  return { defaultAction, signatures: [] };
}

export const MANAGED: Readonly<Record<Exclude<ManagedSet, "owasp">, SignatureSet>> = {
  bot_protection: empty("challenge"),
  bot_filter: {
    defaultAction: "challenge",
    signatures: [
      { id: "bot_filter_no_agent", summary: "No user agent", targets: ["user_agent"], isAbsent: true },
      {
        id: "bot_filter_client",
        summary: "A plain client",
        targets: ["user_agent"],
        pattern: "^(?:curl|wget)/",
        literals: ["curl/", "wget/"],
      },
    ],
  },
  ai_bots: empty("deny"),
  traffic_sources: empty("log"),
  vercel_ruleset: empty("log"),
};

export const CRS: Readonly<Record<CrsCategory, SignatureSet>> = {
  sd: empty("log"),
  ma: empty("log"),
  lfi: {
    defaultAction: "log",
    signatures: [
      {
        id: "lfi_passwd",
        summary: "A file of the system",
        targets: ["path", "raw_path", "query_values", "body"],
        pattern: "/etc/passwd",
        literals: ["/etc/passwd"],
      },
    ],
  },
  rfi: empty("log"),
  rce: empty("log"),
  php: empty("log"),
  gen: empty("log"),
  xss: empty("log"),
  sqli: empty("log"),
  sf: empty("log"),
  java: empty("log"),
};
