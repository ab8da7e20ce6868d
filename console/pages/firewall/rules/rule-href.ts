// The address of the page of a rule.

export function ruleHref(path: string, id: string): string {
  return path.replace(":rule", encodeURIComponent(id));
}
