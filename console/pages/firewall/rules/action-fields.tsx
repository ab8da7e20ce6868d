// The fields of what a rule does with the requests that it matches.
import type { ReactNode } from "react";
import { ACTION_DURATIONS, RULE_ACTIONS } from "../../../../src/firewall/evaluator/config.ts";
import type { RuleAction } from "../../../../src/firewall/evaluator/config.ts";
import { Field } from "../../../parts/field.tsx";
import type { Problems } from "./condition-fields.tsx";
import type { Mitigation } from "./rule-words.ts";
import { EXCEEDED_WORDS, DURATION_WORDS, ACTION_WORDS } from "./rule-words.ts";

const ALGOS = { fixed_window: "in windows of that length", token_bucket: "evenly (token bucket)" };
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
          label={name === "limit" ? "Requests" : "Within"}
          {...(name === "window" && { hint: "Seconds, from 10 to 3600." })}
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
      <Field label="Counted">
        {(control) => (
          <select
            {...control}
            value={limit.algo}
            onChange={({ target }) => onChange({ ...limit, algo: target.value as RateLimit["algo"] })}
          >
            {Object.entries(ALGOS).map(([algo, name]) => (
              <option key={algo} value={algo}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Above the limit" problem={problems(`${at}.action`)}>
        {(control) => (
          <select
            {...control}
            value={limit.action || "rate_limit"}
            onChange={({ target }) => onChange({ ...limit, action: target.value })}
          >
            {EXCEEDED.map((action) => (
              <option key={action} value={action}>
                {EXCEEDED_WORDS[action]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label="Counted by"
        hint="One on each line: ip, ja3, ja4, host, path, method, user_agent, geo_country, geo_as_number, header:NAME, cookie:NAME or query:NAME."
        problem={problems(`${at}.keys`)}
        isWide
      >
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
      <Field label="Where to" hint="A path from / on, or a URL." problem={problems(`${AT}.redirect.location`)}>
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
        For good (308)
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
    <Field label="Go on for this client" problem={problems(`${AT}.actionDuration`)}>
      {(control) => (
        <select {...control} value={mitigate.actionDuration ?? ""} onChange={({ target }) => change(target.value)}>
          <option value="">no, each request anew</option>
          {ACTION_DURATIONS.map((duration) => (
            <option key={duration} value={duration}>
              {DURATION_WORDS[duration]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function ActionField({ mitigate, problems, onChange }: Props): ReactNode {
  return (
    <Field label="Do" problem={problems(`${AT}.action`)}>
      {(control) => (
        <select
          {...control}
          value={mitigate?.action ?? ""}
          onChange={({ target: { value } }) =>
            onChange(value === "" ? undefined : withAction(value as RuleAction, mitigate))
          }
        >
          {!mitigate && <option value="">only log it (no action)</option>}
          {RULE_ACTIONS.map((action) => (
            <option key={action} value={action}>
              {ACTION_WORDS[action]}
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
          Let past the managed sets and attack mode, too
        </label>
      )}
    </div>
  );
}
