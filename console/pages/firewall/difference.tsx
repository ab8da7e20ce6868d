// What differs between two configurations, one line for each place.
import { Fragment, useState } from "react";
import type { ReactNode } from "react";
import { Empty } from "../../parts/placeholder.tsx";
import { Segment } from "../../parts/segment.tsx";
import { ACTION_NAMES, SET_NAMES } from "./action-words.ts";
import type { Difference, Rule, SharedCondition } from "./config-types.ts";
import { ruleWords, whenWords } from "./rules/rule-words.ts";
import { ATTACKS } from "./traffic/crs-rule.ts";

const KINDS = { added: "New", removed: "Removed", changed: "Changed", moved: "Moved" };
const PART_NAMES = {
  rules: "rule",
  ips: "address",
  conditions: "shared condition",
  managedRules: "managed set",
  crs: "category of attacks",
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

const PART_WORDS: Readonly<Record<string, string>> = PART_NAMES;
const OWN_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = { managedRules: SET_NAMES, crs: ATTACKS };
const ACTION_WORDS: Readonly<Record<string, string>> = ACTION_NAMES;

/** Of the thing; of a setting, which has none, its own. */
function nameOf({ before, after, id, part }: Difference): string | undefined {
  const { name, ip } = (after ?? before ?? {}) as Readonly<Record<string, unknown>>;
  const known = [name, ip, id].find((one) => typeof one === "string");
  return known === undefined ? undefined : (OWN_NAMES[part]?.[known] ?? known);
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
  if (typeof value === "boolean") return value ? "On" : "Off";
  if (part === "managedRules" || part === "crs") {
    const { active, action } = value as { active: boolean; action?: string };
    return active ? (ACTION_WORDS[action ?? ""] ?? "On") : "Off";
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

/** The words of both that are the same at the begin and at the end are written once. */
function Changed({ old, now }: { readonly old: string; readonly now: string }): ReactNode {
  const [was, is] = [old, now].map((text) => text.split(/(?<= )|(?=[:;,.](?: |$))/)) as [string[], string[]];
  const least = Math.min(was.length, is.length);
  let start = 0;
  while (start < least && was[start] === is[start]) start++;
  let end = 0;
  while (end < least - start && was.at(-1 - end) === is.at(-1 - end)) end++;
  const middle = (words: readonly string[]) =>
    words
      .slice(start, words.length - end)
      .join("")
      .trim();
  const [removed, added] = [middle(was), middle(is)];
  return (
    <>
      {is.slice(0, start).join("")}
      {removed && <del>{removed}</del>} {added && <ins>{added}</ins>}
      {end > 0 && !/^[:;,.]/.test(is.at(-end) ?? "") && " "}
      {is.slice(is.length - end).join("")}
    </>
  );
}

function Words({ difference: { kind, part, before, after, from = 0, to = 0 } }: LineProps): ReactNode {
  const [old, now] = [before, after].map((value) => (value === undefined ? null : shownAs(part, value)));
  if (kind === "moved") return `From place ${from + 1} to ${to + 1}`;
  if (typeof old === "string" && typeof now === "string") return old === now ? null : <Changed old={old} now={now} />;
  return now === null ? <del>{old}</del> : now;
}

function Members({ difference }: LineProps): ReactNode {
  const { kind, before, after } = difference;
  const details = kind === "changed" ? detailsOf(difference) : [];
  const whole = after ?? before;
  if (details.length === 0) return whole === undefined ? null : <code>{JSON.stringify(whole)}</code>;
  return details.map(([name, was, is]) => (
    <Fragment key={name}>
      <code>{name}</code> <del>{was}</del> <ins>{is}</ins>
      <br />
    </Fragment>
  ));
}

interface LineProps {
  readonly difference: Difference;
}

function Line({ difference, isJson }: LineProps & { readonly isJson: boolean }): ReactNode {
  const { kind, part, before, after } = difference;
  const word = PART_WORDS[part] ?? part;
  const name = nameOf(difference);
  // Where the words do not say it, the members do.
  const isSame = kind === "changed" && before !== undefined && shownAs(part, before) === shownAs(part, after);
  return (
    <li>
      <span className="kind">
        <span className={LOOKS[kind]}>{KINDS[kind]}</span>
      </span>{" "}
      <div className="grow">
        <strong>{name ?? word}</strong> {name !== undefined && <span className="small">{word}</span>}
        <p>{isJson || isSame ? <Members difference={difference} /> : <Words difference={difference} />}</p>
      </div>
    </li>
  );
}

const VIEWS = ["In words", "JSON"] as const;

interface Props {
  readonly differences: readonly Difference[];
  /** Of a card that has nothing else. */
  readonly title?: string;
}

export function Differences({ differences, title }: Props): ReactNode {
  const [view, setView] = useState<(typeof VIEWS)[number]>("In words");
  if (differences.length === 0) return <Empty title="Nothing differs" hint="Both configurations say the same." />;
  const list = (
    <ul className={title === undefined ? "cards differences" : "rows differences"}>
      {differences.map((difference, at) => (
        <Line key={at} difference={difference} isJson={view === "JSON"} />
      ))}
    </ul>
  );
  if (title === undefined) return list;
  return (
    <section className="panel">
      <header>
        <h2>{title}</h2>
        <Segment label="How changes are shown" values={VIEWS} value={view} onChange={setView} />
      </header>
      {list}
    </section>
  );
}
