// The fields that limit a new credential, and what it would be able to do, in words, before it is made.
import { useState } from "react";
import type { ReactNode } from "react";
import { describeLimits } from "../../src/kernel/limit-words.ts";
import { TEAM_ROLES } from "../../src/kernel/roles.ts";
import { TEXTS } from "../texts.ts";
import { Field } from "./field.tsx";
import { fieldsOf, problemWith } from "./form.tsx";
import type { Fields } from "./form.tsx";
import { permissionsOf } from "./permission-choice.tsx";

const T = TEXTS.limits;
const LISTS = ["projects", "environments", "names"] as const;
export const LIMIT_FIELDS = [...LISTS, "allowedCidrs", "permissions"] as const;

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
  const lists = LISTS.flatMap((name) => {
    const list = wordsIn(field(name));
    return list.length === 0 ? [] : [[name, list] as const];
  });
  return {
    ...permissionsOf(field),
    ...(Object.fromEntries(lists) as Partial<Record<(typeof LISTS)[number], string[]>>),
    allowedCidrs: wordsIn(field("networks")),
  };
}

function describe(field: Fields): string {
  const { permissions = null, projects = null, environments = null, names = null, allowedCidrs } = limitsOf(field);
  const limits = { permissions, projects, environments, names };
  const role = TEAM_ROLES.find((one) => one === field("role")) ?? null;
  return describeLimits({ role, limits, allowedCidrs, expiresAt: endOf(field).expiresAt ?? null });
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
export function useWords(first: Readonly<Record<string, string>>): Words {
  const [words, setWords] = useState(() => describe((name) => first[name] ?? ""));
  return {
    words,
    onChange({ currentTarget: form }) {
      // When the change is shown: a choice may show other fields, which are read too.
      setTimeout(() => setWords(describe(fieldsOf(form))));
    },
  };
}

export function LimitFields({ error }: { readonly error: Error | null }): ReactNode {
  const hasProblem = [...LISTS, "allowedCidrs"].some((name) => problemWith(error, name) !== null);
  return (
    <details className="limits" {...(hasProblem && { open: true })}>
      <summary>{T.title}</summary>
      <p className="hint">{T.hint}</p>
      {LISTS.map((name) => (
        <Field key={name} label={T[name]} hint={T[`${name}Hint`]} problem={problemWith(error, name)}>
          {(control) => <input {...control} name={name} autoComplete="off" spellCheck={false} autoCapitalize="off" />}
        </Field>
      ))}
      <Field label={T.networks} hint={T.networksHint} problem={problemWith(error, "allowedCidrs")}>
        {(control) => <input {...control} name="networks" autoComplete="off" spellCheck={false} />}
      </Field>
    </details>
  );
}

export function LimitWords({ words }: { readonly words: string }): ReactNode {
  return (
    <section className="limit-words" aria-live="polite">
      <strong>{T.words}</strong>
      <p>{words}</p>
    </section>
  );
}
