// One rule in the list: what it does in words, its place, and what can be done with it.
import { useEffect, useRef, useState } from "react";
import type { DragEvent, ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import { Button } from "../../../parts/button.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { ActionBadge } from "../action-badge.tsx";
import { useFirewallQuery, useStage } from "../firewall-config.ts";
import type { Rule } from "../config-types.ts";
import { projectHref } from "../../../parts/project.tsx";
import { Doubts } from "./doubts.tsx";
import { RemoveRule } from "./remove-rule.tsx";
import { ruleHref } from "./rule-href.ts";

const DRAGGED = "application/x-reeve-rule";

/** Where a rule is moved: to a position from 0, or by so many positions from where it is then. */
export type Place = { readonly to: number } | { readonly by: number };

interface Props {
  readonly rule: Rule;
  /** From 0. */
  readonly index: number;
  readonly count: number;
  readonly words: string;
  readonly doubts: readonly string[];
  readonly why: string | null;
  readonly onMove: (id: string, place: Place) => void;
}

/** Cards are dragged onto the place of another one. */
function useDrag({ rule, index, why, onMove }: Props) {
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
      onMove(event.dataTransfer.getData(DRAGGED), { to: index });
    },
  };
}

/** Buttons that move the rule. They keep the focus where the card goes. */
function Moves({ rule: { id, name }, index, count, why, onMove }: Props): ReactNode {
  const pressed = useRef<HTMLButtonElement | null>(null);
  const place = useRef(index);
  // The browser takes the focus from what is moved in the document.
  useEffect(() => {
    if (place.current !== index) pressed.current?.focus();
    place.current = index;
  }, [index]);
  const button = (label: string, shown: string, by: number, isEnd: boolean, end: string) => (
    <Button
      kind="plain"
      aria-label={label}
      disabledBecause={why ?? (isEnd ? end : null)}
      onFocus={({ currentTarget }) => (pressed.current = currentTarget)}
      onBlur={({ relatedTarget }) => {
        if (relatedTarget) pressed.current = null;
      }}
      onClick={() => onMove(id, { by })}
    >
      {shown}
    </Button>
  );
  return (
    <>
      {button(`Move ${name} up`, "Up", -1, index === 0, "It is the first one")}
      {button(`Move ${name} down`, "Down", 1, index === count - 1, "It is the last one")}
    </>
  );
}

function Actions({ rule, why }: Props): ReactNode {
  const { teamId, projectId } = useFirewallQuery();
  const [isRemoving, setRemoving] = useState(false);
  const stage = useStage();
  const toggle = (): void =>
    stage.mutate({
      change: { action: "rules.update", id: rule.id, value: { ...rule, active: !rule.active } },
      replaces: { find: ({ rules }) => rules.find(({ id }) => id === rule.id), known: rule },
    });
  const copy = projectHref(ruleHref(ADDRESSES.firewallRule, "new"), teamId, projectId);
  return (
    <>
      <Button kind="plain" disabledBecause={why} busy={stage.isPending} onClick={toggle}>
        {rule.active ? "Switch off" : "Switch on"}
      </Button>
      {why === null && (
        <Link
          className="button plain"
          href={`${copy}${copy.includes("?") ? "&" : "?"}copy=${encodeURIComponent(rule.id)}`}
        >
          Duplicate
        </Link>
      )}
      <Button kind="danger" disabledBecause={why} onClick={() => setRemoving(true)}>
        Delete
      </Button>
      {stage.error && <Problem error={stage.error} />}
      {isRemoving && <RemoveRule rule={rule} onClose={() => setRemoving(false)} />}
    </>
  );
}

export function RuleCard(props: Props): ReactNode {
  const { rule, index, count, words, doubts } = props;
  const { teamId, projectId } = useFirewallQuery();
  const { isOver, ...drag } = useDrag(props);
  const action = rule.action.mitigate?.action ?? "log";
  return (
    <li className={`panel rule${isOver ? " over" : ""}${rule.active ? "" : " inactive"}`} {...drag}>
      <header>
        <span className="place" title={"draggable" in drag ? "Drag to move" : undefined}>
          {index + 1} of {count}
        </span>
        <h2>
          <Link href={projectHref(ruleHref(ADDRESSES.firewallRule, rule.id), teamId, projectId)}>{rule.name}</Link>
        </h2>
        <ActionBadge action={action} />
        {!rule.active && <span className="badge">off</span>}
      </header>
      <p>{words}</p>
      {rule.description && <p className="quiet">{rule.description}</p>}
      <Doubts doubts={doubts} />
      <div className="tools">
        <Moves {...props} />
        <Actions {...props} />
      </div>
    </li>
  );
}
