// The rules of a project's firewall, in their order.
import { Plus } from "lucide-react";
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import { Button } from "../../../parts/button.tsx";
import { Empty, Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { SearchInput } from "../../../parts/search-input.tsx";
import { useSearchValue } from "../../../parts/search-value.ts";
import { useWhyNot } from "../../../parts/why-not.ts";
import { DraftBar } from "../draft-bar.tsx";
import { shownConfig, useConfigs, useFirewallQuery, useStage } from "../firewall-config.ts";
import type { Change, Config } from "../config-types.ts";
import { projectHref } from "../../../parts/project.tsx";
import { RuleCard } from "./rule-card.tsx";
import type { Place } from "./rule-card.tsx";
import { lintRules } from "./rule-lint.ts";
import { ruleHref } from "./rule-href.ts";
import { ruleWords } from "./rule-words.ts";
import { PageActions } from "../../../parts/page-title.tsx";

/** A search pays from so many rules on. */
const MANY = 8;

/** Whether the firewall is on, with the button that changes it in the draft. */
function Switch({ config, why }: { readonly config: Config; readonly why: string | null }): ReactNode {
  const stage = useStage();
  const { firewallEnabled } = config;
  return (
    <div className={firewallEnabled ? "tools" : "notice tools"}>
      <strong>
        {firewallEnabled ? "The firewall is on" : "The firewall is off: requests pass, apart from attack mode"}
      </strong>
      <Button
        kind="plain"
        disabledBecause={why}
        busy={stage.isPending}
        onClick={() => stage.mutate({ change: { action: "firewallEnabled", value: !firewallEnabled } })}
      >
        {firewallEnabled ? "Switch the firewall off" : "Switch the firewall on"}
      </Button>
      {stage.error && <Problem error={stage.error} />}
    </div>
  );
}

function useMoves() {
  const stage = useStage();
  const [said, say] = useState("");
  const move = (id: string, place: Place): void => {
    let done = "";
    const change = (found: Config | null): Change | null => {
      const listed = found?.rules ?? [];
      const at = listed.findIndex((one) => one.id === id);
      const to = "to" in place ? place.to : at + place.by;
      const rule = listed[at];
      if (!rule || to === at || to < 0 || to >= listed.length) return null;
      done = `${rule.name} is now ${to + 1} of ${listed.length}`;
      return { action: "rules.priority", id, value: to };
    };
    stage.mutate({ change }, { onSuccess: () => say(done) });
  };
  return { move, said, error: stage.error, isMoving: stage.isPending };
}

function RuleList({ config, why }: { readonly config: Config; readonly why: string | null }): ReactNode {
  const [wanted, setWanted] = useSearchValue("find");
  const { move, said, error, isMoving } = useMoves();
  const { rules, conditions: shared = [] } = config;
  const doubts = useMemo(() => lintRules(rules), [rules]);
  const listed = useMemo(
    () => rules.map((rule, index) => ({ rule, index, words: ruleWords(rule, shared) })),
    [rules, shared],
  );
  const found = listed.filter(({ rule, words }) =>
    `${rule.name}\n${rule.description ?? ""}\n${words}`.toLowerCase().includes(wanted.toLowerCase()),
  );
  return (
    <>
      {rules.length >= MANY && (
        <search className="tools">
          <SearchInput label="Find a rule" value={wanted} onChange={setWanted} />
        </search>
      )}
      {error && <Problem error={error} />}
      {rules.length > 0 && found.length === 0 && (
        <Empty title="No rule has that in its name or its words" hint="Try another word." />
      )}
      <ol className="rules" aria-busy={isMoving}>
        {found.map(({ rule, index, words }) => (
          <RuleCard
            key={rule.id}
            rule={rule}
            index={index}
            count={rules.length}
            words={words}
            doubts={doubts.get(rule.id) ?? []}
            why={why}
            onMove={move}
          />
        ))}
      </ol>
      <p className="hidden" aria-live="polite">
        {said}
      </p>
    </>
  );
}

export function RulesPage(): ReactNode {
  const { teamId, projectId } = useFirewallQuery();
  const configs = useConfigs();
  const why = useWhyNot("firewall:write");
  const config = configs.data ? shownConfig(configs.data) : null;
  const add = projectHref(ruleHref(ADDRESSES.firewallRule, "new"), teamId, projectId);
  if (configs.error && !configs.data) return <Problem error={configs.error} retry={() => void configs.refetch()} />;
  return (
    <>
      {configs.error && <Problem error={configs.error} retry={() => void configs.refetch()} />}
      {!configs.data && <Skeleton />}
      {configs.data && <DraftBar configs={configs.data} why={why} />}
      {config && <Switch config={config} why={why} />}
      {configs.data && (
        <>
          <p>
            Rules are tried from the first to the last; the first one that refuses, challenges, redirects or lets past
            decides. Changes are kept in a draft until you publish it.
          </p>
          <PageActions>
            {why === null ? (
              <Link className="button" href={add}>
                <Plus className="i" />
                New rule
              </Link>
            ) : (
              <Button disabledBecause={why}>New rule</Button>
            )}
          </PageActions>
          {(config?.rules.length ?? 0) === 0 && (
            <Empty
              title="The project has no rules yet"
              hint="A rule says which requests are refused, challenged, limited, redirected or let past."
            />
          )}
          {config && <RuleList config={config} why={why} />}
        </>
      )}
    </>
  );
}
