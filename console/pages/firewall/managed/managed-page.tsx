// Managed sets and categories of attacks: which are on, what they do, and what enforces them on this server.
import type { ReactNode } from "react";
import { CRS_CATEGORIES, MANAGED_SETS } from "../../../../src/firewall/evaluator/config.ts";
import { ADDRESSES } from "../../../addresses.ts";
import { useTeamId } from "../../../api/team.ts";
import { Empty, Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { projectHref, useProject } from "../../../parts/project.tsx";
import { DataTable } from "../../../parts/table.tsx";
import { useWhyNot } from "../../../parts/why-not.ts";
import { SET_NAMES } from "../action-words.ts";
import { DraftBar } from "../draft-bar.tsx";
import { shownConfig, useConfigs, useStage } from "../firewall-config.ts";
import type { Change, Config } from "../config-types.ts";
import { Hits, sumHits, useHits } from "../rules/hits.tsx";
import type { RuleHits } from "../rules/hits.tsx";
import { ATTACKS } from "../traffic/crs-rule.ts";
import { ProseSwitch } from "./prose-switch.tsx";
import { Select } from "../../../parts/select.tsx";

const ENGINES: Readonly<Record<string, string>> = { modsecurity: "ModSecurity", coraza: "Coraza" };
const ACTIONS = { default: "On, as the set says", log: "Log", challenge: "Challenge", deny: "Deny" };
/** A set that is on without an action does what is its default. */
const DEFAULT = "default";

interface Choice {
  readonly active: boolean;
  readonly action?: string;
}

interface Row {
  readonly name: string;
  readonly words: string;
  readonly now: Choice | undefined;
  readonly actions: readonly string[];
  readonly isNeverEnforced: boolean;
  readonly hits: RuleHits | undefined;
  readonly href: string;
  readonly changeTo: (choice: Choice) => Change;
}

function Switch({
  row: { name, now, actions, changeTo },
  why,
}: {
  readonly row: Row;
  readonly why: string | null;
}): ReactNode {
  const stage = useStage();
  const choose = (chosen: string): void => {
    const choice: Choice =
      chosen === "off"
        ? { active: false, ...(now?.action !== undefined && { action: now.action }) }
        : { active: true, ...(chosen !== DEFAULT && { action: chosen }) };
    stage.mutate({ change: changeTo(choice) });
  };
  return (
    <>
      <Select
        id={`set-${name}`}
        whyNot={why}
        busy={stage.isPending}
        choices={[
          ["off", "Off"],
          ...actions.map((action) => [action, ACTIONS[action as keyof typeof ACTIONS]] as const),
        ]}
        value={now?.active ? (now.action ?? DEFAULT) : "off"}
        onChange={choose}
      />
      {stage.error && <Problem error={stage.error} />}
    </>
  );
}

function Sets({
  label,
  rows,
  why,
}: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly why: string | null;
}): ReactNode {
  return (
    <DataTable
      label={label}
      rows={rows}
      keyOf={({ name }) => name}
      isWrapped
      hasFields
      columns={[
        {
          title: "Set",
          cell: ({ name, words, isNeverEnforced }) => (
            <>
              <label htmlFor={`set-${name}`}>{words}</label>{" "}
              {isNeverEnforced && <span className="badge">Not enforced</span>}
              <code className="quiet">{name}</code>
            </>
          ),
        },
        {
          title: "24 hours",
          isNumber: true,
          leaves: "narrow",
          cell: ({ words, hits, href }) => <Hits hits={hits} name={words} href={href} />,
        },
        { title: "Mode", cell: (row) => <Switch row={row} why={why} /> },
      ]}
    />
  );
}

/** What enforces any of them on this server. */
function namesIn(enforcers: Readonly<Record<string, string | null>>): string {
  return [...new Set(Object.values(enforcers))].filter((name) => name !== null).join(", ");
}

function EnforcedBy({ config: { enforcedBy } }: { readonly config: Config }): ReactNode {
  const engine = namesIn(enforcedBy.crs);
  return (
    <section className="panel">
      <h2>Enforced by</h2>
      <dl>
        <dt>Bots</dt>
        <dd>
          {namesIn(enforcedBy.managedRules)} <span className="quiet">by user agent</span>
        </dd>
        <dt>Attacks</dt>
        <dd>
          {engine === "" ? (
            "Nothing: no gate reports a rule engine"
          ) : (
            <>
              {ENGINES[engine] ?? engine} <span className="quiet">in front of the application</span>
            </>
          )}
        </dd>
      </dl>
      {engine === "" && (
        <p className="hint">
          <code>reeve gate seclang</code> sets up ModSecurity with the OWASP core rule set.
        </p>
      )}
    </section>
  );
}

function Switches({ config, why }: { readonly config: Config; readonly why: string | null }): ReactNode {
  const { managedRules = {}, crs, enforcedBy } = config;
  const teamId = useTeamId();
  const [projectId] = useProject();
  const hits = useHits();
  // Its rules decide, each under an id of its own.
  const hitsOf = (category: string) =>
    sumHits([...(hits ?? [])].filter(([id]) => id.startsWith(`crs:${category}:`)).map(([, one]) => one));
  return (
    <>
      <div className="beside">
        <div>
          <h2 className="above">
            Bots by user agent <span className="small">tried after the rules</span>
          </h2>
          <Sets
            label="Managed sets"
            why={why}
            rows={MANAGED_SETS.map((set) => ({
              name: set,
              words: SET_NAMES[set],
              now: managedRules[set],
              actions: [DEFAULT, "log", "challenge", "deny"],
              hits: hits?.get(set),
              href: projectHref(ADDRESSES.firewallDecisions, teamId, projectId, { rule: set }),
              isNeverEnforced: (enforcedBy.managedRules[set] ?? null) === null,
              changeTo: (value) => ({ action: "managedRules.update", id: set, value }),
            }))}
          />
          <h2 className="above">
            Attacks <span className="small">OWASP core rule set</span>
          </h2>
          <Sets
            label="Categories of attacks"
            why={why}
            rows={CRS_CATEGORIES.map((category) => ({
              name: category,
              words: ATTACKS[category],
              now: crs[category],
              actions: ["log", "deny"],
              hits: hitsOf(category),
              href: projectHref(ADDRESSES.firewallTraffic, teamId, projectId, { by: "rule" }),
              isNeverEnforced: false,
              changeTo: ({ active, action = "log" }) => ({
                action: "crs.update",
                id: category,
                value: { active, action },
              }),
            }))}
          />
        </div>
        <aside aria-label="Enforcement">
          <EnforcedBy config={config} />
        </aside>
      </div>
      <ProseSwitch config={config} why={why} />
    </>
  );
}

export function ManagedPage(): ReactNode {
  const configs = useConfigs();
  const why = useWhyNot("firewall:write");
  if (configs.error && !configs.data) return <Problem error={configs.error} retry={() => void configs.refetch()} />;
  if (!configs.data) return <Skeleton />;
  const config = shownConfig(configs.data);
  return (
    <>
      <DraftBar configs={configs.data} why={why} />
      {config ? (
        <Switches config={config} why={why} />
      ) : (
        <Empty title="This project has no configuration yet" hint="Make a rule first." />
      )}
    </>
  );
}
