// One switch for projects whose people write prose and code: a rule that exempts bodies from what such text sets off in the core rule set.
import { useId } from "react";
import type { ReactNode } from "react";
import { PROSE } from "../../../../src/firewall/evaluator/config.ts";
import { Problem } from "../../../parts/problem.tsx";
import type { Config, Rule } from "../config-types.ts";
import { useStage } from "../firewall-config.ts";
import { Select } from "../../../parts/select.tsx";

const NEW_RULE = {
  name: "Prose and code in bodies",
  active: true,
  conditionGroup: [{ conditions: [{ type: "ruleset", op: "eq", value: PROSE }] }],
  action: { mitigate: { action: "bypass" } },
};

/** A rule with more conditions is not this switch: it is for some requests only. */
function isForAll({ action, conditionGroup }: Rule): boolean {
  const conditions = conditionGroup.flatMap((group) => group.conditions);
  const [only] = conditions;
  return (
    action.mitigate?.action === "bypass" &&
    conditions.length === 1 &&
    only?.type === "ruleset" &&
    !only.neg &&
    [only.value].flat().join() === PROSE
  );
}

interface Props {
  readonly config: Config;
  readonly why: string | null;
}

export function ProseSwitch({ config, why }: Props): ReactNode {
  const id = useId();
  const stage = useStage();
  const known = config.rules.find(isForAll);
  const isOn = known?.active ?? false;
  const toggle = (): void =>
    stage.mutate({
      change: known
        ? { action: "rules.update", id: known.id, value: { ...known, active: !isOn } }
        : { action: "rules.insert", value: NEW_RULE },
      replaces: { find: ({ rules }) => rules.find(isForAll), known },
    });
  return (
    <>
      <h2 className="above">
        <label htmlFor={id}>Prose and code in bodies</label>
      </h2>
      <p>
        People write articles, code or GraphQL: the rules that such text sets off do not look into bodies. Fewer attacks
        in bodies are found then. It is a rule; add conditions there to limit it to some paths.
      </p>
      <Select
        id={id}
        whyNot={why}
        busy={stage.isPending}
        choices={{
          off: "Off: all rules look into bodies",
          on: "On: these rules look at the query, cookies and headers only",
        }}
        value={isOn ? "on" : "off"}
        onChange={toggle}
      />
      {stage.error && <Problem error={stage.error} />}
    </>
  );
}
