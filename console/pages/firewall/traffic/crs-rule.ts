// Names rules of the OWASP core rule set, which an engine in front of the application has matched.
import { TEXTS, fill } from "../../../texts.ts";

const T = TEXTS.firewallManaged;

/** `crs:sqli:942100`; undefined: it is another rule. */
export function nameOfCrsRule(ruleId: string): string | undefined {
  const [, category = "", id = ""] = /^crs:(\w+):(\d+)$/.exec(ruleId) ?? [];
  const name = category === "protocol" ? T.protocol : T.attacks[category as keyof typeof T.attacks];
  return name === undefined ? undefined : fill(T.crsRule, { category: name, id });
}
