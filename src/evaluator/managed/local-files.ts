// `lfi`: paths that lead to files of the machine.
import { SLASH } from "./pattern-parts.ts";
import type { SignatureSet } from "./sets.ts";

const DOT = "(?:\\.|%2e|%252e|%c0%ae)";

export const LOCAL_FILES: SignatureSet = {
  defaultAction: "log",
  signatures: [
    {
      id: "lfi_climb",
      summary: "Two steps upwards in a row",
      targets: ["raw_path", "path", "query_values", "cookies", "body"],
      pattern: String.raw`(?:${DOT}{2}${SLASH}+){2}`,
      literals: ["..", "%2e", "%252e", "%c0%ae"],
    },
    {
      id: "lfi_hidden_climb",
      summary: "A step upwards that is hidden by encoding",
      targets: ["raw_path"],
      pattern: String.raw`(?:%2e(?:%2e|\.)|\.%2e|%252e%252e|%c0%ae%c0%ae)(?:${SLASH}|$)|\.\.(?:%2f|%5c|%252f|%255c)`,
      literals: ["%2", "%c0%ae", "%5c"],
    },
    {
      id: "lfi_unix",
      summary: "A file of a Unix system that tells of its users or its environment",
      targets: ["path", "query_values", "cookies"],
      pattern: String.raw`(?:^|${SLASH})etc${SLASH}+(?:passwd|shadow|gshadow|group|sudoers|crontab|issue)\b|${SLASH}proc${SLASH}+(?:self|[0-9]+)${SLASH}+(?:environ|cmdline|maps|status|fd|root|cwd|mem)\b`,
      literals: ["etc", "proc"],
    },
    {
      id: "lfi_unix_member",
      summary: "Such a file as the whole value of a member of the body",
      targets: ["body"],
      pattern: String.raw`[=:"'](?:file:/*)?(?:\.\.|${SLASH})*${SLASH}etc${SLASH}+(?:passwd|shadow|gshadow|sudoers)(?:["'&\x00]|%00|$)`,
      literals: ["passwd", "shadow", "sudoers"],
    },
    {
      id: "lfi_windows",
      summary: "A file of a Windows system",
      targets: ["path", "query_values", "cookies"],
      pattern: String.raw`(?:^|${SLASH}|:)(?:windows|winnt)${SLASH}+(?:win\.ini|system\.ini|system32${SLASH}+(?:drivers${SLASH}+etc|config)${SLASH})|(?:^|${SLASH}|:)boot\.ini(?:$|%00|\x00)`,
      literals: ["windows", "winnt", "boot.ini"],
    },
    {
      id: "lfi_keys",
      summary: "Keys in somebody's home",
      targets: ["path", "query_values"],
      pattern: String.raw`(?:^|${SLASH})\.(?:ssh${SLASH}+(?:id_(?:rsa|dsa|ecdsa|ed25519)|authorized_keys|known_hosts)|aws${SLASH}+credentials|kube${SLASH}+config|docker${SLASH}+config\.json|bash_history)\b`,
      literals: [".ssh", ".aws", ".kube", ".docker", ".bash_history"],
    },
  ],
};
