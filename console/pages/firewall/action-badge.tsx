// The sign and the colour of an action: none of them speaks alone.
import { CircleCheck, CornerUpRight, Eye, Gauge, OctagonX, ShieldQuestionMark, SkipForward } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { sentence } from "../../parts/sentence.ts";
import { ACTION_NAMES, DECISION_NAMES } from "./action-words.ts";

type Action = keyof typeof DECISION_NAMES;

const SIGNS: Readonly<Record<Action, LucideIcon>> = {
  allow: CircleCheck,
  deny: OctagonX,
  challenge: ShieldQuestionMark,
  rate_limit: Gauge,
  log: Eye,
  redirect: CornerUpRight,
  bypass: SkipForward,
};

export function ActionSign({ action }: { readonly action: Action }): ReactNode {
  const Sign = SIGNS[action];
  return <Sign className={`i i-s on-${action}`} />;
}

interface FigureProps {
  readonly action: Action;
  /** Beside the number. */
  readonly about?: string;
  readonly children: ReactNode;
}

/** How many requests were decided so: an entry of a list of figures. */
export function ActionFigure({ action, about, children }: FigureProps): ReactNode {
  return (
    <div>
      <dt>
        <ActionSign action={action} />
        {sentence(DECISION_NAMES[action])}
      </dt>
      <dd>
        <strong>{children}</strong> {about !== undefined && <span className="small">{about}</span>}
      </dd>
    </div>
  );
}

/** What a rule does, or another word for it. */
export function ActionBadge({ action, text }: { readonly action: Action; readonly text?: string }): ReactNode {
  return (
    <span className={`badge on-${action}`}>
      <ActionSign action={action} />
      {text ?? ACTION_NAMES[action as keyof typeof ACTION_NAMES]}
    </span>
  );
}

/** What was decided about a request. */
export function DecisionBadge({
  decision: { action, status },
}: {
  readonly decision: { readonly action: Action; readonly status?: number | null };
}): ReactNode {
  const text = sentence(DECISION_NAMES[action]);
  return <ActionBadge action={action} text={typeof status === "number" ? `${text}, status ${status}` : text} />;
}
