// `sd`: tools that look for weaknesses, by the names they give and the marks they leave.
import type { SignatureSet } from "./sets.ts";

export const SCANNERS: SignatureSet = {
  defaultAction: "log",
  signatures: [
    {
      id: "sd_agent",
      summary: "The user agent of a scanner",
      targets: ["user_agent"],
      pattern: String.raw`\b(?:acunetix|arachni|commix|dirbuster|dirsearch|feroxbuster|fuzz faster u fool|gobuster|havij|jaeles|joomscan|masscan|nessus|netsparker|nikto|nmap scripting engine|nuclei|openvas|skipfish|sqlmap|w3af|wfuzz|whatweb|wpscan|zgrab)\b`,
    },
    {
      id: "sd_header",
      summary: "A header that only scanners send",
      targets: ["header:acunetix-product", "header:acunetix-aspect", "header:x-scanner", "header:x-scan-memo"],
      pattern: "[a-z0-9]",
    },
    {
      id: "sd_path",
      summary: "A path with which a scanner finds out how missing pages are answered",
      targets: ["path"],
      pattern: String.raw`acunetix[-_]wvs|appscan_fingerprint|/nice ports,/+trinity\.txt|/nmap(?:lower|upper)check[0-9]`,
      literals: ["acunetix", "appscan_fingerprint", "nice ports,", "nmaplowercheck", "nmapuppercheck"],
    },
    {
      id: "sd_callback",
      summary: "A name of a service that reports who asked for it, as scanners use to see an injection work",
      targets: ["query_values", "headers", "body", "path"],
      pattern: String.raw`\b[a-z0-9_-]+\.(?:oast\.(?:pro|live|site|online|fun|me)|interact\.sh|interactsh\.com|burpcollaborator\.net|oastify\.com|dnslog\.cn|ceye\.io)\b`,
      literals: [".oast.", ".interact", ".burpcollaborator.net", ".oastify.com", ".dnslog.cn", ".ceye.io"],
    },
  ],
};
