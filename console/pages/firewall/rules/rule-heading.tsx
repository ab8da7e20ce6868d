// The line of a rule's title: its name, its place, whether it is on, and its menu.
import { Copy, Pencil, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import type { ReactNode } from "react";
import { flushSync } from "react-dom";
import { useLocation } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import { copyEntry } from "../../../parts/copy.tsx";
import { Menu } from "../../../parts/menu.tsx";
import { PageActions, PageBadges } from "../../../parts/page-title.tsx";
import { projectHref } from "../../../parts/project.tsx";
import type { Rule } from "../config-types.ts";
import { useFirewallQuery } from "../firewall-config.ts";
import type { Problems } from "./condition-fields.tsx";
import { RemoveRule } from "./remove-rule.tsx";
import type { TypedRule } from "./rule-form.ts";
import { ruleHref } from "./rule-href.ts";

interface HeadingProps {
  /** Null: a new one. */
  readonly rule: Rule | null;
  /** `Rule 1 of 8`; null: it has none yet. */
  readonly place: string | null;
  readonly why: string | null;
  /** The address of the list. */
  readonly back: string;
  readonly form: string;
  readonly typed: TypedRule;
  readonly problems: Problems;
  readonly onChange: (part: Partial<TypedRule>) => void;
}

/** The title is edited where it is: Enter is enough, and Escape brings the name back. */
function Name({ form, typed, problems, why, onChange }: HeadingProps): ReactNode {
  const [before, setBefore] = useState<string | null>(typed.name === "" ? "" : null);
  const pencil = useRef<HTMLButtonElement>(null);
  const problem = problems("name");
  const isOpen = before !== null || typed.name.trim() === "" || problem !== null;
  const close = (name = typed.name): void => {
    flushSync(() => {
      if (name !== typed.name) onChange({ name });
      setBefore(null);
    });
    pencil.current?.focus();
  };
  if (!isOpen)
    return (
      <button
        ref={pencil}
        type="button"
        className="plain icon ghost"
        aria-label="Rename"
        aria-disabled={why !== null || undefined}
        aria-description={why ?? undefined}
        onClick={() => why === null && setBefore(typed.name)}
      >
        <Pencil className="i" />
      </button>
    );
  return (
    <div className="title-field">
      <input
        form={form}
        aria-label="Name"
        aria-invalid={problem !== null || undefined}
        aria-describedby={problem === null ? undefined : `${form}-name`}
        placeholder="Name of the rule"
        required
        autoFocus
        autoComplete="off"
        value={typed.name}
        onChange={({ target }) => onChange({ name: target.value })}
        onBlur={() => setBefore(null)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== "Escape") return;
          event.preventDefault();
          if (event.key === "Escape" && before !== null) close(before);
          else if (typed.name.trim() !== "") close();
        }}
      />
      {problem !== null && (
        <p id={`${form}-name`} className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

/** The rule's own menu: what is typed here stays in the page until it is saved or left. */
function RuleMenu({
  rule,
  why,
  back,
}: {
  readonly rule: Rule;
  readonly why: string | null;
  readonly back: string;
}): ReactNode {
  const { teamId, projectId } = useFirewallQuery();
  const [, navigate] = useLocation();
  const [isRemoving, setRemoving] = useState(false);
  const copy = projectHref(ruleHref(ADDRESSES.firewallRule, "new"), teamId, projectId, { copy: rule.id });
  return (
    <>
      <Menu
        label="More actions"
        entries={[
          { label: "Duplicate", icon: Copy, whyNot: why, onSelect: () => navigate(copy) },
          ...copyEntry("Copy id", rule.id),
          "line",
          { label: "Delete…", icon: Trash2, isDanger: true, whyNot: why, onSelect: () => setRemoving(true) },
        ]}
      />
      {isRemoving && <RemoveRule rule={rule} onDone={() => navigate(back)} onClose={() => setRemoving(false)} />}
    </>
  );
}

/** In the line of the title: the name, the place of the rule, and whether it is on. */
export function Heading(props: HeadingProps): ReactNode {
  const { rule, place, typed, why, back, onChange } = props;
  return (
    <>
      <PageBadges>
        <Name {...props} />
        {place !== null && <span className="badge">{place}</span>}
      </PageBadges>
      <PageActions>
        <label className="check">
          <input
            type="checkbox"
            role="switch"
            className="switch"
            checked={typed.active}
            aria-checked={typed.active}
            aria-disabled={why !== null}
            aria-description={why ?? undefined}
            onChange={({ target }) => why === null && onChange({ active: target.checked })}
          />
          On
        </label>
        {rule && <RuleMenu rule={rule} why={why} back={back} />}
      </PageActions>
    </>
  );
}
