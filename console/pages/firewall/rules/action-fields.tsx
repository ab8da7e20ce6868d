// The fields of what a rule does with the requests that it matches.
import type { ReactNode } from "react";
import { ACTION_DURATIONS, RULE_ACTIONS } from "../../../../src/evaluator/config.ts";
import type { RuleAction } from "../../../../src/evaluator/config.ts";
import { Field } from "../../../parts/field.tsx";
import { TEXTS } from "../../../texts.ts";
import type { Problems } from "./condition-fields.tsx";
import type { Mitigation } from "./rule-words.ts";

const T = TEXTS.rule;
const W = TEXTS.ruleWords;
const AT = "action.mitigate";
const HOLDING: readonly string[] = ["deny", "challenge", "rate_limit"];
const EXCEEDED = ["rate_limit", "deny", "challenge", "log", "bypass"] as const;

interface Props {
  readonly mitigate: Mitigation | undefined;
  readonly problems: Problems;
  readonly onChange: (mitigate: Mitigation | undefined) => void;
}

type RateLimit = NonNullable<Mitigation["rateLimit"]>;
const NEW_LIMIT: RateLimit = { algo: "fixed_window", window: 60, limit: 100, keys: ["ip"] };

/** The action with the members that go with it, and no others. */
function withAction(action: RuleAction, before: Mitigation | undefined): Mitigation {
  const { rateLimit, redirect, actionDuration, logHeaders } = before ?? { action };
  return {
    action,
    ...(action === "rate_limit" && { rateLimit: rateLimit ?? NEW_LIMIT }),
    ...(action === "redirect" && { redirect: redirect ?? { location: "", permanent: false } }),
    ...(HOLDING.includes(action) && actionDuration && { actionDuration }),
    ...(logHeaders !== undefined && { logHeaders }),
  };
}

function Limit({
  limit,
  problems,
  onChange,
}: {
  readonly limit: RateLimit;
  readonly problems: Problems;
  readonly onChange: (limit: RateLimit) => void;
}): ReactNode {
  const at = `${AT}.rateLimit`;
  return (
    <>
      {(["limit", "window"] as const).map((name) => (
        <Field
          key={name}
          label={T[name]}
          {...(name === "window" && { hint: T.windowHint })}
          problem={problems(`${at}.${name}`)}
        >
          {(control) => (
            <input
              {...control}
              type="number"
              min={1}
              required
              value={limit[name] || ""}
              onChange={({ target }) => onChange({ ...limit, [name]: Number(target.value) })}
            />
          )}
        </Field>
      ))}
      <Field label={T.algo}>
        {(control) => (
          <select
            {...control}
            value={limit.algo}
            onChange={({ target }) => onChange({ ...limit, algo: target.value as RateLimit["algo"] })}
          >
            {Object.entries(T.algos).map(([algo, name]) => (
              <option key={algo} value={algo}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={T.exceeded} problem={problems(`${at}.action`)}>
        {(control) => (
          <select
            {...control}
            value={limit.action || "rate_limit"}
            onChange={({ target }) => onChange({ ...limit, action: target.value })}
          >
            {EXCEEDED.map((action) => (
              <option key={action} value={action}>
                {W.exceeded[action]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={T.keys} hint={T.keysHint} problem={problems(`${at}.keys`)} isWide>
        {(control) => (
          <textarea
            {...control}
            className="code"
            rows={3}
            required
            spellCheck={false}
            value={limit.keys.join("\n")}
            onChange={({ target }) => onChange({ ...limit, keys: target.value.split("\n") })}
          />
        )}
      </Field>
    </>
  );
}

function Redirect({ mitigate, problems, onChange }: Props & { readonly mitigate: Mitigation }): ReactNode {
  const redirect = mitigate.redirect ?? { location: "", permanent: false };
  return (
    <>
      <Field label={T.location} hint={T.locationHint} problem={problems(`${AT}.redirect.location`)}>
        {(control) => (
          <input
            {...control}
            required
            value={redirect.location}
            onChange={({ target }) => onChange({ ...mitigate, redirect: { ...redirect, location: target.value } })}
          />
        )}
      </Field>
      <label className="check">
        <input
          type="checkbox"
          checked={redirect.permanent}
          onChange={({ target }) => onChange({ ...mitigate, redirect: { ...redirect, permanent: target.checked } })}
        />
        {T.permanent}
      </label>
    </>
  );
}

function Duration({ mitigate, problems, onChange }: Props & { readonly mitigate: Mitigation }): ReactNode {
  const change = (duration: string): void => {
    const { actionDuration: _before, ...rest } = mitigate;
    onChange(
      duration === "" ? rest : { ...rest, actionDuration: duration as NonNullable<Mitigation["actionDuration"]> },
    );
  };
  return (
    <Field label={T.duration} problem={problems(`${AT}.actionDuration`)}>
      {(control) => (
        <select {...control} value={mitigate.actionDuration ?? ""} onChange={({ target }) => change(target.value)}>
          <option value="">{T.noDuration}</option>
          {ACTION_DURATIONS.map((duration) => (
            <option key={duration} value={duration}>
              {W.durations[duration]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function ActionField({ mitigate, problems, onChange }: Props): ReactNode {
  return (
    <Field label={T.action} problem={problems(`${AT}.action`)}>
      {(control) => (
        <select
          {...control}
          value={mitigate?.action ?? ""}
          onChange={({ target: { value } }) =>
            onChange(value === "" ? undefined : withAction(value as RuleAction, mitigate))
          }
        >
          {!mitigate && <option value="">{T.noAction}</option>}
          {RULE_ACTIONS.map((action) => (
            <option key={action} value={action}>
              {W.actions[action]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function ActionFields(props: Props): ReactNode {
  const { mitigate, problems, onChange } = props;
  return (
    <div className="columns">
      <ActionField {...props} />
      {mitigate?.action === "redirect" && <Redirect {...props} mitigate={mitigate} />}
      {mitigate?.action === "rate_limit" && (
        <Limit
          limit={mitigate.rateLimit ?? NEW_LIMIT}
          problems={problems}
          onChange={(rateLimit) => onChange({ ...mitigate, rateLimit })}
        />
      )}
      {mitigate && HOLDING.includes(mitigate.action) && <Duration {...props} mitigate={mitigate} />}
      {mitigate?.action === "bypass" && (
        <label className="check">
          <input
            type="checkbox"
            checked={mitigate.bypassSystem ?? false}
            onChange={({ target }) => onChange({ ...mitigate, bypassSystem: target.checked })}
          />
          {T.bypassSystem}
        </label>
      )}
    </div>
  );
}
