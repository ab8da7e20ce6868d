// `sf`: attempts to give somebody a session that the attacker knows.
import { SPACE } from "./pattern-parts.ts";
import type { SignatureSet } from "./sets.ts";

export const SESSIONS: SignatureSet = {
  defaultAction: "log",
  signatures: [
    {
      id: "sf_script",
      summary: "Script that sets a cookie",
      targets: ["path", "query_values", "body"],
      pattern: String.raw`\bdocument\.cookie${SPACE}*=${SPACE}*["'\x60]`,
      literals: ["document.cookie"],
    },
    {
      id: "sf_markup",
      summary: "Markup that sets a cookie",
      targets: ["path", "query_values", "body"],
      pattern: String.raw`\bhttp-equiv${SPACE}*=${SPACE}*["']?set-cookie`,
      literals: ["http-equiv"],
    },
    {
      id: "sf_header",
      summary: "A line break and a cookie to set",
      targets: ["path", "raw_path", "query_values", "cookies"],
      pattern: String.raw`(?:[\r\n]|%0d|%0a)${SPACE}*set-cookie2?${SPACE}*(?::|%3a)`,
      literals: ["set-cookie"],
    },
    {
      id: "sf_parameter",
      summary: "The session as a parameter",
      targets: ["query_names"],
      pattern: String.raw`^(?:jsessionid|phpsessid|aspsessionid[a-z]*|asp\.net_sessionid|cftoken|connect\.sid|laravel_session)$`,
      literals: ["session", "phpsessid", "cftoken", "connect.sid"],
    },
  ],
};
