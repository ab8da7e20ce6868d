// The rules in their order, with a search and filters in the page's address.
import { CircleDashed, ListFilter } from "lucide-react";
import { useMemo } from "react";
import type { ReactNode } from "react";
import { Empty } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { SearchInput } from "../../../parts/search-input.tsx";
import { useSearchValue } from "../../../parts/search-value.ts";
import { SearchFilter } from "../../../parts/select.tsx";
import { ACTION_NAMES } from "../action-words.ts";
import type { Config, Rule } from "../config-types.ts";
import { useHits } from "./hits.tsx";
import { lintRules } from "./rule-lint.ts";
import { RuleRow } from "./rule-row.tsx";
import { ruleWords } from "./rule-words.ts";
import { useOrder } from "./use-order.ts";

const STATES = { on: "On", off: "Off", changed: "Changed in the draft" };

interface Props {
  readonly config: Config;
  /** What is enforced; null: nothing. */
  readonly active: Config | null;
  readonly why: string | null;
}

/** What of the draft is not enforced. */
function differenceOf(rule: Rule, active: ReadonlyMap<string, string>): "New" | "Changed" | null {
  const enforced = active.get(rule.id);
  if (enforced === undefined) return "New";
  return enforced === JSON.stringify(rule) ? null : "Changed";
}

export function RuleList({ config, active, why }: Props): ReactNode {
  const [wanted, setWanted] = useSearchValue("find");
  const [action] = useSearchValue("action");
  const [state] = useSearchValue("state");
  const order = useOrder(config);
  const hits = useHits();
  const { rules, conditions: shared = [] } = config;
  const doubts = useMemo(() => lintRules(config.rules, config.conditions ?? []), [config]);
  const enforced = useMemo(() => new Map(active?.rules.map((rule) => [rule.id, JSON.stringify(rule)])), [active]);
  const shown = order.rules
    .map((rule, index) => ({ rule, index, difference: differenceOf(rule, enforced) }))
    .filter(
      ({ rule, difference }) =>
        `${rule.name}\n${rule.description ?? ""}\n${ruleWords(rule, shared)}`
          .toLowerCase()
          .includes(wanted.toLowerCase()) &&
        (action === "" || (rule.action.mitigate?.action ?? "log") === action) &&
        (state === "" || (state === "changed" ? difference !== null : rule.active === (state === "on"))),
    );
  return (
    <>
      <search className="filters">
        <SearchInput label="Search name or condition" value={wanted} onChange={setWanted} />
        <SearchFilter name="action" label="Action" icon={ListFilter} choices={ACTION_NAMES} />
        <SearchFilter name="state" label="State" icon={CircleDashed} choices={STATES} />
        <span className="small">First match decides, except for Log and Limit below its limit</span>
      </search>
      {order.error && <Problem error={order.error} />}
      {shown.length === 0 ? (
        <Empty title="No rule matches" hint="Try another word, action or state." />
      ) : (
        <div className="rules-frame">
          {/* What screen readers hear of each cell says it itself. */}
          <div className="rules-head" aria-hidden="true">
            <span className="place">#</span>
            <span>Rule</span>
            <span>Action</span>
            <span>24 h</span>
            <span className="number">Hits</span>
            <span>On</span>
          </div>
          <ol className="rules" aria-busy={order.isBusy}>
            {shown.map(({ rule, index, difference }) => (
              <RuleRow
                key={rule.id}
                rule={rule}
                index={index}
                count={rules.length}
                shared={shared}
                doubts={doubts.get(rule.id) ?? []}
                difference={difference}
                hits={hits?.get(rule.id)}
                why={why}
                order={order}
              />
            ))}
          </ol>
        </div>
      )}
      <p className="hint rules-hint">
        Drag a rule by its handle, or focus the handle and press <kbd>Space</kbd>, then <kbd>↑</kbd> <kbd>↓</kbd>. After
        the rules come the managed sets; what nothing decides is allowed.
      </p>
      <p className="hidden" aria-live="polite">
        {order.said}
      </p>
    </>
  );
}
