// The fields that limit a new credential, and what it would be able to do, in words, before it is made.
import { useState } from "react";
import type { ReactNode } from "react";
import { describeLimits } from "../../src/platform/kernel/limit-words.ts";
import { TEAM_ROLES } from "../../src/platform/kernel/roles.ts";
import type { Permission, TeamRole } from "../../src/platform/kernel/roles.ts";
import { Field } from "./field.tsx";
import { fieldsOf, problemWith } from "./form.tsx";
import type { Fields } from "./form.tsx";
import { permissionsOf } from "./permission-choice.tsx";

const LIST_WORDS = {
  projects: { label: "Projects", hint: "Such as shop." },
  environments: { label: "Environments", hint: "Such as production." },
  names: { label: "Secrets and variables", hint: "Their names; * stands for any characters: DB_*." },
};
const LISTS = ["projects", "environments", "names"] as const;
const ALL_LISTS = [...LISTS, "allowedCidrs"] as const;
export const LIMIT_FIELDS = [...ALL_LISTS, "permissions"] as const;

const DAY_MS = 86_400_000;

function wordsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** The end that a form asks for, in days; undefined: none. */
export function endOf(field: Fields): { readonly expiresAt?: number } {
  const days = Number(field("days"));
  return days > 0 ? { expiresAt: Date.now() + days * DAY_MS } : {};
}

/** The limits that a form asks for, as a request gives them. */
export function limitsOf(field: Fields) {
  const lists = ALL_LISTS.flatMap((name) => {
    const list = wordsIn(field(name === "allowedCidrs" ? "networks" : name));
    return list.length === 0 ? [] : [[name, list] as const];
  });
  return {
    ...permissionsOf(field),
    ...(Object.fromEntries(lists) as Partial<Record<(typeof ALL_LISTS)[number], string[]>>),
  };
}

/** What is made: a credential itself, or a rule whose keys end so long after they were issued. */
interface Kind {
  readonly lifetimeMs?: number;
  /** The permissions where none are chosen; by default all. */
  readonly permissionsByDefault?: (role: TeamRole) => readonly Permission[];
}

function describe(field: Fields, { permissionsByDefault, ...kind }: Kind): string {
  const { projects = null, environments = null, names = null, allowedCidrs = [], ...rest } = limitsOf(field);
  const role = TEAM_ROLES.find((one) => one === field("role")) ?? null;
  const permissions = rest.permissions ?? (role && permissionsByDefault?.(role)) ?? null;
  const limits = { permissions, projects, environments, names };
  return describeLimits({ role, limits, allowedCidrs, expiresAt: endOf(field).expiresAt ?? null, ...kind });
}

/** Whether anything limits a credential, so that a list says what. */
export function isLimited(
  one: Record<"permissions" | "projects" | "environments" | "names", unknown> & {
    readonly allowedCidrs: readonly string[];
  },
): boolean {
  const { permissions, projects, environments, names, allowedCidrs } = one;
  return [permissions, projects, environments, names].some((list) => list !== null) || allowedCidrs.length > 0;
}

interface Words {
  readonly words: string;
  readonly onChange: (event: { readonly currentTarget: HTMLFormElement }) => void;
}

/** What a form would make, in words, after each change of it. `first` is what its fields hold when it opens. */
export function useWords(first: Readonly<Record<string, string>>, kind: Kind = {}): Words {
  const [words, setWords] = useState(() => describe((name) => first[name] ?? "", kind));
  return {
    words,
    onChange({ currentTarget: form }) {
      // When the change is shown: a choice may show other fields, which are read too.
      setTimeout(() => setWords(describe(fieldsOf(form), kind)));
    },
  };
}

interface LimitFieldsProps {
  readonly error: Error | null;
  readonly hint?: string;
  /** What the fields hold when the form opens. */
  readonly first?: Readonly<Record<(typeof LISTS)[number] | "networks", string>>;
}

export function LimitFields({
  error,
  hint = "With spaces between them. Empty: no limit. They never change: something else is another credential.",
  first,
}: LimitFieldsProps): ReactNode {
  const hasProblem = ALL_LISTS.some((name) => problemWith(error, name) !== null);
  const [isFilled] = useState(() => Object.values(first ?? {}).some((text) => text !== ""));
  return (
    <details className="limits" {...((hasProblem || isFilled) && { open: true })}>
      <summary>Limits</summary>
      <p className="hint">{hint}</p>
      {LISTS.map((name) => (
        <Field key={name} {...LIST_WORDS[name]} problem={problemWith(error, name)}>
          {(control) => (
            <input
              {...control}
              name={name}
              defaultValue={first?.[name]}
              autoComplete="off"
              spellCheck={false}
              autoCapitalize="off"
            />
          )}
        </Field>
      ))}
      <Field
        label="Networks"
        hint="From which it may be used, such as 203.0.113.0/24, with spaces between them. Empty: from everywhere."
        problem={problemWith(error, "allowedCidrs")}
      >
        {(control) => (
          <input {...control} name="networks" defaultValue={first?.networks} autoComplete="off" spellCheck={false} />
        )}
      </Field>
    </details>
  );
}

export function LimitWords({ words }: { readonly words: string }): ReactNode {
  return (
    <section className="limit-words" aria-live="polite">
      <strong>What it may do</strong>
      <p>{words}</p>
    </section>
  );
}
