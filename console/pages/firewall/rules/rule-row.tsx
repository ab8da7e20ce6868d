// One rule in the list: its handle, its place, what it does in words, how often it did, whether it is on, and its menu.
import { ArrowDown, ArrowUp, Copy, GripVertical, Pencil, Trash2, TriangleAlert } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { DragEvent, KeyboardEvent, ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import { copyEntry } from "../../../parts/copy.tsx";
import { Menu } from "../../../parts/menu.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { projectHref } from "../../../parts/project.tsx";
import { ActionBadge } from "../action-badge.tsx";
import { useFirewallQuery, useStage } from "../firewall-config.ts";
import type { Config, Rule, SharedCondition } from "../config-types.ts";
import { Doubts } from "./doubts.tsx";
import { Hits } from "./hits.tsx";
import type { RuleHits } from "./hits.tsx";
import { RemoveRule } from "./remove-rule.tsx";
import { ruleHref } from "./rule-href.ts";
import { rowPieces } from "./rule-words.ts";
import { Sentence } from "./sentence.tsx";
import type { Order } from "./use-order.ts";

const DRAGGED = "application/x-reeve-rule";

interface Props {
  readonly rule: Rule;
  /** From 0. */
  readonly index: number;
  readonly count: number;
  readonly shared: readonly SharedCondition[];
  readonly doubts: readonly string[];
  readonly difference: "New" | "Changed" | null;
  /** Undefined: it has none in this time. */
  readonly hits: RuleHits | undefined;
  readonly why: string | null;
  readonly order: Order;
}

/** Rows are dragged onto the place of another one. */
function useDrag({ rule, index, why, order }: Props) {
  const [isOver, setOver] = useState(false);
  if (why !== null) return { isOver: false };
  return {
    isOver,
    draggable: true,
    onDragStart(event: DragEvent) {
      event.dataTransfer.setData(DRAGGED, rule.id);
      event.dataTransfer.effectAllowed = "move";
    },
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer.types.includes(DRAGGED)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault();
      setOver(false);
      order.drop(event.dataTransfer.getData(DRAGGED), index);
    },
  };
}

/** Space takes the rule and lets it go, the arrows move it. */
function Handle({ rule: { id, name }, index, count, why, order }: Props): ReactNode {
  const button = useRef<HTMLButtonElement>(null);
  const isHeld = order.heldId === id;
  // The browser takes the focus from what is moved in the document.
  const place = useRef(index);
  useEffect(() => {
    if (isHeld && place.current !== index) button.current?.focus();
    place.current = index;
  }, [isHeld, index]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === " ") {
      event.preventDefault();
      if (why !== null) return;
      if (isHeld) order.letGo();
      else order.hold(id);
      return;
    }
    if (!isHeld) return;
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by !== undefined) order.move(by);
    else if (event.key === "Enter") order.letGo();
    else if (event.key === "Escape") order.cancel();
    else return;
    event.preventDefault();
  };
  return (
    <button
      ref={button}
      type="button"
      className="plain icon handle"
      aria-label={`Move ${name}, ${index + 1} of ${count}`}
      aria-pressed={isHeld}
      aria-disabled={why !== null || undefined}
      aria-description={why ?? "Drag, or press Space, then the arrows"}
      onKeyDown={onKeyDown}
      onBlur={({ relatedTarget }) => {
        if (relatedTarget) order.cancel();
      }}
    >
      <GripVertical className="i" />
    </button>
  );
}

function RowEnd({ rule, index, count, why, order }: Props): ReactNode {
  const { teamId, projectId } = useFirewallQuery();
  const [, navigate] = useLocation();
  const [isRemoving, setRemoving] = useState(false);
  const stage = useStage();
  const replacing = (known: Rule, value: Rule) => ({
    change: { action: "rules.update" as const, id: rule.id, value },
    replaces: { find: ({ rules }: Config) => rules.find(({ id }) => id === rule.id), known },
  });
  const toggle = (): void => {
    const toggled = { ...rule, active: !rule.active };
    const text = `${rule.name} was switched ${toggled.active ? "on" : "off"} in the draft`;
    stage.mutate({ ...replacing(rule, toggled), done: { text, undo: replacing(toggled, rule) } });
  };
  // What was pressed is shown at once.
  const isOn = stage.isPending ? !rule.active : rule.active;
  const hrefOf = (id: string, filled = {}): string =>
    projectHref(ruleHref(ADDRESSES.firewallRule, id), teamId, projectId, filled);
  return (
    <>
      <input
        type="checkbox"
        role="switch"
        className="switch"
        aria-label={`${rule.name} is on`}
        checked={isOn}
        aria-checked={isOn}
        aria-disabled={why !== null || stage.isPending}
        aria-description={why ?? undefined}
        onChange={() => why === null && !stage.isPending && toggle()}
      />
      <Menu
        label={`Actions for ${rule.name}`}
        entries={[
          { label: "Edit", icon: Pencil, onSelect: () => navigate(hrefOf(rule.id)) },
          {
            label: "Move up",
            icon: ArrowUp,
            whyNot: why ?? (index === 0 ? "It is the first one" : null),
            onSelect: () => order.drop(rule.id, index - 1),
          },
          {
            label: "Move down",
            icon: ArrowDown,
            whyNot: why ?? (index === count - 1 ? "It is the last one" : null),
            onSelect: () => order.drop(rule.id, index + 1),
          },
          { label: "Duplicate", icon: Copy, whyNot: why, onSelect: () => navigate(hrefOf("new", { copy: rule.id })) },
          ...copyEntry("Copy id", rule.id),
          "line",
          { label: "Delete…", icon: Trash2, isDanger: true, whyNot: why, onSelect: () => setRemoving(true) },
        ]}
      />
      {stage.error && <Problem error={stage.error} />}
      {isRemoving && <RemoveRule rule={rule} onClose={() => setRemoving(false)} />}
    </>
  );
}

export function RuleRow(props: Props): ReactNode {
  const { rule, index, shared, doubts, difference, hits, order } = props;
  const { teamId, projectId } = useFirewallQuery();
  const { isOver, ...drag } = useDrag(props);
  const look = [rule.active ? "" : "off", isOver ? "over" : "", order.heldId === rule.id ? "held" : ""];
  return (
    <li className={look.filter(Boolean).join(" ") || undefined} {...drag}>
      <Handle {...props} />
      <span className="place">{index + 1}</span>
      <div className="what">
        <div className="what-name">
          <h2>
            <Link href={projectHref(ruleHref(ADDRESSES.firewallRule, rule.id), teamId, projectId)}>{rule.name}</Link>
          </h2>
          {difference !== null && <span className="badge accent">{difference}</span>}
          {doubts.length > 0 && (
            <details>
              <summary className="badge warn">
                <TriangleAlert className="i i-s" />
                Check this rule
              </summary>
              <Doubts doubts={doubts} />
            </details>
          )}
        </div>
        <p className="small" aria-description={rule.description ?? undefined}>
          <Sentence of={rowPieces(rule, shared)} />
        </p>
      </div>
      <ActionBadge action={rule.action.mitigate?.action ?? "log"} />
      <Hits
        hits={hits}
        name={rule.name}
        href={projectHref(ADDRESSES.firewallDecisions, teamId, projectId, { rule: rule.id })}
      />
      <RowEnd {...props} />
    </li>
  );
}
