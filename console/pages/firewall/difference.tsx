// What differs between two configurations, one line for each place.
import type { ReactNode } from "react";
import { Empty } from "../../parts/placeholder.tsx";
import type { Difference, Rule, SharedCondition } from "./config-types.ts";
import { ruleWords, whenWords } from "./rules/rule-words.ts";

const KINDS = { added: "New", removed: "Removed", changed: "Changed", moved: "Moved" };
const PART_NAMES = {
  rules: "Rule",
  ips: "Address",
  conditions: "Shared condition",
  managedRules: "Managed set",
  crs: "Category",
  firewallEnabled: "Firewall",
  botIdEnabled: "Bot identification",
  logHeaders: "Logged headers",
  ja3Enabled: "JA3",
  ja4Enabled: "JA4",
  rulesets: "Rule sets",
};

const LOOKS: Readonly<Record<Difference["kind"], string>> = {
  added: "badge accent",
  removed: "badge bad",
  changed: "badge accent",
  moved: "badge",
};

function nameOf({ before, after, id }: Difference): string {
  const { name, ip } = (after ?? before ?? {}) as Readonly<Record<string, unknown>>;
  return [name, ip, id].find((one) => typeof one === "string") ?? "";
}

/** A value in words, where there are words for it. */
function wordsOf(part: string, value: unknown): string {
  if (part === "rules") {
    const rule = value as Rule;
    return `${rule.active ? "" : "(off) "}${ruleWords(rule)}`;
  }
  if (part === "conditions") return whenWords((value as SharedCondition).conditionGroup);
  if (part === "ips") {
    const { ip, hostname, action, notes } = value as { ip: string; hostname: string; action: string; notes?: string };
    return [`${ip} at ${hostname}: ${action}`, notes].filter(Boolean).join(" · ");
  }
  return JSON.stringify(value);
}

/** A file may have anything in the place of a rule: what there are no words for is shown as it is. */
function shownAs(part: string, value: unknown): string {
  try {
    return wordsOf(part, value);
  } catch {
    return JSON.stringify(value);
  }
}

/** The members that differ, where the words do not say it. */
function detailsOf({ before, after }: Difference): readonly (readonly [name: string, before: string, after: string])[] {
  if (typeof before !== "object" || typeof after !== "object" || before === null || after === null) return [];
  const show = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));
  const [one, other] = [before as Record<string, unknown>, after as Record<string, unknown>];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .map((name) => [name, show(one[name]), show(other[name])] as const)
    .filter(([, old, now]) => old !== now);
}

function Line({ difference }: { readonly difference: Difference }): ReactNode {
  const { kind, part, before, after, from = 0, to = 0 } = difference;
  const [old, now] = [before, after].map((value) => (value === undefined ? null : shownAs(part, value)));
  const details = kind === "changed" ? detailsOf(difference) : [];
  return (
    <li>
      <span className="kind">
        <span className={LOOKS[kind]}>{KINDS[kind]}</span>
      </span>{" "}
      <div className="grow">
        {PART_NAMES[part as keyof typeof PART_NAMES] ?? part} <strong>{nameOf(difference)}</strong>
        {kind === "moved" && (
          <p>
            From place {from + 1} to {to + 1}
          </p>
        )}
        {old !== null && old !== now && (
          <p>
            <del>{old}</del>
          </p>
        )}
        {now !== null && old !== now && (
          <p>
            <ins>{now}</ins>
          </p>
        )}
        {details.length > 0 && (
          <details open={old === now}>
            <summary>Field by field</summary>
            {details.map(([name, was, is]) => (
              <p key={name}>
                <code>{name}</code> <del>{was}</del> <ins>{is}</ins>
              </p>
            ))}
          </details>
        )}
      </div>
    </li>
  );
}

export function Differences({ differences }: { readonly differences: readonly Difference[] }): ReactNode {
  if (differences.length === 0) return <Empty title="Nothing differs" hint="Both configurations say the same." />;
  return (
    <ul className="cards differences">
      {differences.map((difference, at) => (
        <Line key={at} difference={difference} />
      ))}
    </ul>
  );
}
