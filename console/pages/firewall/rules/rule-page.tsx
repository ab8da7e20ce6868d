// One rule, or a new one.
import { useState } from "react";
import type { ReactNode } from "react";
import { useParams } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import { Empty, Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { useSearchValue } from "../../../parts/search-value.ts";
import { useWhyNot } from "../../../parts/why-not.ts";
import { shownConfig, useConfigs, useFirewallQuery } from "../firewall-config.ts";
import type { Rule } from "../config-types.ts";
import { projectHref } from "../../../parts/project.tsx";
import { RuleEditor } from "./rule-editor.tsx";
import type { NewRule } from "./rule-form.ts";

export function RulePage(): ReactNode {
  const { rule: id } = useParams<{ readonly rule: string }>();
  const [copyOf] = useSearchValue("copy");
  const { teamId, projectId } = useFirewallQuery();
  const [opened, setOpened] = useState<Rule | null>(null);
  const configs = useConfigs();
  const why = useWhyNot("firewall:write");
  if (configs.error && !configs.data) return <Problem error={configs.error} retry={() => void configs.refetch()} />;
  if (!configs.data) return <Skeleton />;
  const config = shownConfig(configs.data);
  const index = config?.rules.findIndex((one) => one.id === id) ?? -1;
  const stored = config?.rules[index] ?? null;
  // What was typed stays when somebody deletes the rule meanwhile.
  if (stored && opened === null) setOpened(stored);
  const rule = stored ?? opened;
  const original = config?.rules.find((one) => one.id === copyOf);
  const copied = original ? copyRule(original) : null;
  return (
    <>
      {rule === null && id !== "new" ? (
        <Empty title="There is no such rule" hint="Somebody may have deleted it." />
      ) : (
        <RuleEditor
          key={id + copyOf}
          rule={rule}
          copied={copied}
          shared={config?.conditions ?? []}
          why={why}
          place={index < 0 ? null : `Rule ${index + 1} of ${config?.rules.length}`}
          back={projectHref(ADDRESSES.firewall, teamId, projectId)}
        />
      )}
    </>
  );
}

function copyRule({ id: _id, ...rule }: NewRule & { readonly id: string }): NewRule {
  return { ...rule, name: `${rule.name} (copy)` };
}
