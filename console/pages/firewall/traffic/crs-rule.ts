// Names rules of the OWASP core rule set, which an engine in front of the application has matched.

export const ATTACKS = {
  sd: "Scanners",
  ma: "Multipart attacks",
  lfi: "Local files",
  rfi: "Remote files",
  rce: "Remote commands",
  php: "PHP",
  gen: "Generic attacks",
  xss: "Cross-site scripting",
  sqli: "SQL injection",
  sf: "Session fixation",
  java: "Java",
};

/** `crs:sqli:942100`; undefined: it is another rule. */
export function nameOfCrsRule(ruleId: string): string | undefined {
  const [, category = "", id = ""] = /^crs:(\w+):(\d+)$/.exec(ruleId) ?? [];
  const name = category === "protocol" ? "Violations of the protocol" : ATTACKS[category as keyof typeof ATTACKS];
  return name === undefined ? undefined : `${name}, rule ${id}`;
}
