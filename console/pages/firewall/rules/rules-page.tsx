// The rules of a project's firewall, in their order.
import { FileCode, Plus, Power } from "lucide-react";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import { Button } from "../../../parts/button.tsx";
import { Menu } from "../../../parts/menu.tsx";
import { PageActions } from "../../../parts/page-title.tsx";
import { Empty, Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { projectHref } from "../../../parts/project.tsx";
import { useWhyNot } from "../../../parts/why-not.ts";
import { DraftBar } from "../draft-bar.tsx";
import { shownConfig, useConfigs, useFirewallQuery, useStage } from "../firewall-config.ts";
import type { Config } from "../config-types.ts";
import { ruleHref } from "./rule-href.ts";
import { RuleList } from "./rule-list.tsx";

interface Props {
  /** What is shown: the draft, else what is enforced. */
  readonly config: Config | null;
  /** What is enforced; null: nothing. */
  readonly active: Config | null;
  readonly why: string | null;
}

/** Whether the firewall is on is a part of the draft, too. */
function useSwitch(config: Config | null) {
  const stage = useStage();
  const isOn = config?.firewallEnabled ?? true;
  return {
    isOn,
    error: stage.error,
    isBusy: stage.isPending,
    turn: () => stage.mutate({ change: { action: "firewallEnabled", value: !isOn } }),
  };
}

function Heading({ config, why }: Omit<Props, "active">): ReactNode {
  const { teamId, projectId } = useFirewallQuery();
  const [, navigate] = useLocation();
  const { isOn, turn, error } = useSwitch(config);
  const hrefOf = (path: string): string => projectHref(path, teamId, projectId);
  return (
    <>
      <PageActions>
        {why === null ? (
          <Link className="button" href={hrefOf(ruleHref(ADDRESSES.firewallRule, "new"))}>
            <Plus className="i" />
            New rule
          </Link>
        ) : (
          <Button disabledBecause={why}>New rule</Button>
        )}
        <Menu
          label="Actions for the rules"
          entries={[
            { label: "Edit as JSON", icon: FileCode, onSelect: () => navigate(hrefOf(ADDRESSES.firewallFile)) },
            "line",
            {
              label: isOn ? "Turn the firewall off" : "Turn the firewall on",
              icon: Power,
              isDanger: isOn,
              whyNot: why,
              onSelect: turn,
            },
          ]}
        />
      </PageActions>
      {error && <Problem error={error} />}
    </>
  );
}

function Off({ config, why }: Omit<Props, "active">): ReactNode {
  const { isOn, isBusy, turn } = useSwitch(config);
  if (isOn) return null;
  return (
    <div className="notice tools">
      <span className="grow">The firewall is off: requests pass, apart from attack mode.</span>
      <Button kind="plain" disabledBecause={why} busy={isBusy} onClick={turn}>
        Turn the firewall on
      </Button>
    </div>
  );
}

export function RulesPage(): ReactNode {
  const configs = useConfigs();
  const why = useWhyNot("firewall:write");
  const { data, error } = configs;
  const retry = (): void => void configs.refetch();
  if (!data) return error ? <Problem error={error} retry={retry} /> : <Skeleton />;
  const config = shownConfig(data);
  const active = data.active?.value ?? null;
  return (
    <>
      <Heading config={config} why={why} />
      {error && <Problem error={error} retry={retry} />}
      <DraftBar configs={data} why={why} />
      <Off config={config} why={why} />
      {config && config.rules.length > 0 ? (
        <RuleList config={config} active={active} why={why} />
      ) : (
        <Empty
          title="The project has no rules yet"
          hint="A rule says which requests are denied, challenged, limited, logged or redirected, and which bypass the others."
        />
      )}
    </>
  );
}
