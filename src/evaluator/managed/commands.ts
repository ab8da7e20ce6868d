// `rce`: commands of an operating system.
import { GAP, SLASH } from "./pattern-parts.ts";
import type { SignatureSet } from "./sets.ts";

/** What ends one command and begins another, or runs one within another. */
const BEGIN = String.raw`(?:[;|&\n\x60]|%0a|%3b|%7c|%26|%60|\$\()`;
const TEXTS = ["query_values", "cookies", "body", "user_agent"] as const;

export const COMMANDS: SignatureSet = {
  defaultAction: "log",
  signatures: [
    {
      id: "rce_file_command",
      summary: "A command on a file behind what ends another command",
      targets: ["query_values", "cookies", "user_agent", "header:referer"],
      pattern: String.raw`${BEGIN}${GAP}*(?:/(?:usr/)?bin/)?(?:cat|tac|head|tail|less|ls|rm|chmod|chown|cp|mv|touch)${GAP}+(?:-[a-z]+${GAP}+)*(?:[0-7]{3,4}${GAP}+)?[~./*]`,
    },
    {
      id: "rce_download",
      summary: "A download behind what ends another command",
      targets: TEXTS,
      pattern: String.raw`${BEGIN}${GAP}*(?:curl|wget|fetch|tftp|certutil(?:\.exe)?)${GAP}+(?:-[a-z]+${GAP}+)*(?:['"]?(?:https?|ftp)://|[0-9]{1,3}\.[0-9]{1,3}\.|\$\()`,
      literals: ["curl", "wget", "fetch", "tftp", "certutil"],
    },
    {
      id: "rce_who",
      summary: "A question for the user or the system behind what ends another command",
      targets: ["query_values", "cookies", "user_agent", "header:referer"],
      pattern: String.raw`${BEGIN}${GAP}*(?:whoami|uname${GAP}+-[a-z]+|ifconfig|ipconfig(?:${GAP}+/all)?|netstat${GAP}+-[a-z]+)${GAP}*(?:[;|&)#\n\x60]|$)|(?:\$\(|\x60|&&|\|\|)${GAP}*id${GAP}*(?:[;|&)#\n\x60]|$)`,
      literals: ["whoami", "uname", "ifconfig", "ipconfig", "netstat", "$(", "`", "&&", "||"],
    },
    {
      id: "rce_shell",
      summary: "A shell by its path",
      targets: ["raw_path", "path", "query_values", "cookies", "user_agent"],
      pattern: String.raw`${SLASH}bin${SLASH}(?:ba|da|z|k|c|tc)?sh\b`,
      literals: ["bin"],
    },
    {
      id: "rce_reverse_shell",
      summary: "A shell that calls back",
      targets: TEXTS,
      pattern: String.raw`/dev/(?:tcp|udp)/[0-9a-z.-]+/[0-9]+|\bbash${GAP}+-i${GAP}*>|\bn(?:c|cat|etcat)(?:\.traditional)?${GAP}+(?:-[a-z]+${GAP}+)*-[a-z]*e${GAP}+/bin/|\bmkfifo${GAP}+/tmp/`,
      literals: ["/dev/tcp/", "/dev/udp/", "bash", "/bin/", "mkfifo"],
    },
    {
      id: "rce_function_header",
      summary: "A shell function in a header (CVE-2014-6271)",
      targets: ["headers"],
      pattern: String.raw`^[\t ]*\(\)[\t ]*\{[^}\n]*\}?[\t ]*;`,
      literals: ["()"],
    },
    {
      id: "rce_windows",
      summary: "A command of Windows with the switches that attacks use",
      targets: TEXTS,
      pattern: String.raw`\bpowershell(?:\.exe)?${GAP}[^\n]*-(?:e(?:nc|ncodedcommand|p|xecutionpolicy)|nop|noprofile|w(?:indowstyle)?${GAP}+hidden)\b|\bcmd(?:\.exe)?${GAP}+/[ck]${GAP}+(?:"|\x60)?[a-z]`,
      literals: ["powershell", "cmd"],
    },
    {
      id: "rce_field_separator",
      summary: "The shell's variable IFS in the place of a space",
      targets: ["query_values", "cookies", "raw_path", "body"],
      pattern: String.raw`\$\{?ifs\b`,
      literals: ["ifs"],
    },
  ],
};
