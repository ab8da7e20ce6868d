// Managed sets and categories of attacks: which are on, what they do, and what enforces them on this server.
import { useId } from "react";
import type { ReactNode } from "react";
import { CRS_CATEGORIES, MANAGED_SETS } from "../../../../src/evaluator/config.ts";
import { useMay } from "../../../api/team.ts";
import { Empty, Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { Table } from "../../../parts/table.tsx";
import { TEXTS, fill } from "../../../texts.ts";
import { DraftBar } from "../draft-bar.tsx";
import { shownConfig, useConfigs, useStage } from "../firewall-config.ts";
import type { Change, Config } from "../config-types.ts";
import { FirewallNav } from "../firewall-nav.tsx";
import { ProseSwitch } from "./prose-switch.tsx";

const T = TEXTS.firewallManaged;
/** A set that is on without an action does what is its default. */
const DEFAULT = "default";

interface Choice {
  readonly active: boolean;
  readonly action?: string;
}

interface RowProps {
  readonly name: string;
  readonly words: string;
  readonly now: Choice | undefined;
  readonly actions: readonly string[];
  readonly enforced: string;
  readonly why: string | null;
  readonly changeTo: (choice: Choice) => Change;
}

function wordsForList(name: string | null): string {
  return name === null ? T.nobody : fill(T.by, { name });
}

function wordsForEngine(name: string | null): string {
  return name === null ? T.noEngine : (T.engines[name as keyof typeof T.engines] ?? fill(T.by, { name }));
}

function SwitchRow({ name, words, now, actions, enforced, why, changeTo }: RowProps): ReactNode {
  const id = useId();
  const stage = useStage();
  const choose = (chosen: string): void => {
    const choice: Choice =
      chosen === "off"
        ? { active: false, ...(now?.action !== undefined && { action: now.action }) }
        : { active: true, ...(chosen !== DEFAULT && { action: chosen }) };
    stage.mutate({ change: changeTo(choice) });
  };
  return (
    <tr>
      <th scope="row">
        <label htmlFor={id}>{words}</label>
        <span className="quiet">{name}</span>
      </th>
      <td>{enforced}</td>
      <td>
        <select
          id={id}
          disabled={why !== null || stage.isPending}
          title={why ?? undefined}
          value={now?.active ? (now.action ?? DEFAULT) : "off"}
          onChange={({ target }) => choose(target.value)}
        >
          <option value="off">{T.off}</option>
          {actions.map((action) => (
            <option key={action} value={action}>
              {T.actions[action as keyof typeof T.actions]}
            </option>
          ))}
        </select>
        {stage.error && <Problem error={stage.error} />}
      </td>
    </tr>
  );
}

function Switches({ config, why }: { readonly config: Config; readonly why: string | null }): ReactNode {
  const { managedRules = {}, crs, enforcedBy } = config;
  return (
    <>
      <Table columns={[T.set, T.enforced, T.does]}>
        {MANAGED_SETS.map((set) => (
          <SwitchRow
            key={set}
            name={set}
            words={T.sets[set]}
            now={managedRules[set]}
            actions={[DEFAULT, "log", "challenge", "deny"]}
            enforced={wordsForList(enforcedBy.managedRules[set] ?? null)}
            why={why}
            changeTo={(value) => ({ action: "managedRules.update", id: set, value })}
          />
        ))}
      </Table>
      <h2 className="above">{T.categories}</h2>
      <p>{T.categoriesHint}</p>
      <Table columns={[T.set, T.enforced, T.does]}>
        {CRS_CATEGORIES.map((category) => (
          <SwitchRow
            key={category}
            name={category}
            words={T.attacks[category]}
            now={crs[category]}
            actions={["log", "deny"]}
            enforced={wordsForEngine(enforcedBy.crs[category] ?? null)}
            why={why}
            changeTo={({ active, action = "log" }) => ({
              action: "crs.update",
              id: category,
              value: { active, action },
            })}
          />
        ))}
      </Table>
      <ProseSwitch config={config} why={why} />
    </>
  );
}

export function ManagedPage(): ReactNode {
  const configs = useConfigs();
  const why = useMay("firewall:write") === false ? TEXTS.firewallRules.mayNotWrite : null;
  if (configs.error && !configs.data) return <Problem error={configs.error} retry={() => void configs.refetch()} />;
  if (!configs.data) return <Skeleton />;
  const config = shownConfig(configs.data);
  return (
    <>
      <FirewallNav />
      <DraftBar configs={configs.data} why={why} />
      <p>{T.about}</p>
      {config ? <Switches config={config} why={why} /> : <Empty title={T.none} hint={T.noneHint} />}
    </>
  );
}
