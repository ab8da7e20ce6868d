// The fields of what a rule does with the requests that it matches.
import { useId } from "react";
import type { ReactNode } from "react";
import { ACTION_DURATIONS } from "../../../../src/firewall/evaluator/config.ts";
import type { RuleAction } from "../../../../src/firewall/evaluator/config.ts";
import { Chips } from "../../../parts/chips.tsx";
import { choicesOf } from "../../../parts/choices.ts";
import { Field } from "../../../parts/field.tsx";
import { ActionSign } from "../action-badge.tsx";
import { ACTION_NAMES } from "../action-words.ts";
import type { Problems } from "./condition-fields.tsx";
import type { Mitigation } from "./rule-words.ts";
import { EXCEEDED_WORDS, DURATION_WORDS } from "./rule-words.ts";
import { Select } from "../../../parts/select.tsx";

const ALGOS = { fixed_window: "in windows of that length", token_bucket: "spread evenly (token bucket)" };
const AT = "action.mitigate";
const HOLDING: readonly string[] = ["deny", "challenge", "rate_limit"];
const EXCEEDED = ["rate_limit", "deny", "challenge", "log", "bypass"] as const;

interface Props {
  readonly mitigate: Mitigation | undefined;
  readonly problems: Problems;
  readonly onChange: (mitigate: Mitigation | undefined) => void;
}

type RateLimit = NonNullable<Mitigation["rateLimit"]>;
const NEW_LIMIT: RateLimit = { algo: "fixed_window", window: 60, limit: 100, keys: ["ip", ""] };
const COUNTED_BY = choicesOf([
  "ip",
  "ja3",
  "ja4",
  "host",
  "path",
  "method",
  "user_agent",
  "geo_country",
  "geo_as_number",
]);

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
          label={name === "limit" ? "Requests" : "In seconds"}
          {...(name === "window" && { hint: "From 10 to 3600." })}
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
          <Select {...control} choices={ALGOS} value={limit.algo} onChange={(algo) => onChange({ ...limit, algo })} />
        )}
      </Field>
      <Field label="Above the limit" problem={problems(`${at}.action`)}>
        {(control) => (
          <Select
            {...control}
            choices={EXCEEDED.map((action) => [action, EXCEEDED_WORDS[action]] as const)}
            value={limit.action || "rate_limit"}
            onChange={(action) => onChange({ ...limit, action })}
          />
        )}
      </Field>
      <Field
        label="Counted by"
        hint="A request counts with those that have the same values. Also header:NAME, cookie:NAME and query:NAME."
        problem={problems(`${at}.keys`)}
        isWide
      >
        {(control) => (
          <Chips
            {...control}
            text={limit.keys.join("\n")}
            split={(text) => text.split(/[\s,;]+/).filter((key) => key !== "")}
            choices={COUNTED_BY}
            onChange={(text) => onChange({ ...limit, keys: text.split("\n") })}
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
      <Field label="Redirect to" hint="A path from / on, or a URL." problem={problems(`${AT}.redirect.location`)}>
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
        Permanent (308)
      </label>
    </>
  );
}

const HELD_WORDS = { deny: "denying", challenge: "challenging", rate_limit: "doing so to" };

function Duration({ mitigate, problems, onChange }: Props & { readonly mitigate: Mitigation }): ReactNode {
  const change = (duration: string): void => {
    const { actionDuration: _before, ...rest } = mitigate;
    onChange(
      duration === "" ? rest : { ...rest, actionDuration: duration as NonNullable<Mitigation["actionDuration"]> },
    );
  };
  const doing = HELD_WORDS[mitigate.action as keyof typeof HELD_WORDS];
  return (
    <Field label={`Keep ${doing} this client for`} problem={problems(`${AT}.actionDuration`)}>
      {(control) => (
        <Select
          {...control}
          choices={[
            ["", "this request alone"],
            ...ACTION_DURATIONS.map((duration) => [duration, DURATION_WORDS[duration]] as const),
          ]}
          value={mitigate.actionDuration ?? ""}
          onChange={change}
        />
      )}
    </Field>
  );
}

const CHOICES = ["deny", "challenge", "rate_limit", "log", "redirect", "bypass"] as const satisfies RuleAction[];

/** A rule without an action only logs. */
function ActionChoice({ mitigate, problems, onChange }: Props): ReactNode {
  const name = useId();
  const problem = problems(`${AT}.action`);
  const chosen = mitigate?.action ?? "log";
  return (
    <>
      <div className="choices-6" role="radiogroup" aria-label="Action">
        {CHOICES.map((action) => (
          <label key={action}>
            <input
              type="radio"
              className="hidden"
              name={name}
              checked={action === chosen}
              onChange={() => onChange(withAction(action, mitigate))}
            />
            <ActionSign action={action} />
            {ACTION_NAMES[action]}
          </label>
        ))}
      </div>
      {problem !== null && (
        <p className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

export function ActionFields(props: Props): ReactNode {
  const { mitigate, problems, onChange } = props;
  return (
    <>
      <ActionChoice {...props} />
      <div className="columns">
        {mitigate?.action === "redirect" && <Redirect {...props} mitigate={mitigate} />}
        {mitigate?.action === "rate_limit" && (
          <Limit
            limit={mitigate.rateLimit ?? NEW_LIMIT}
            problems={problems}
            onChange={(rateLimit) => onChange({ ...mitigate, rateLimit })}
          />
        )}
        {mitigate && HOLDING.includes(mitigate.action) && <Duration {...props} mitigate={mitigate} />}
      </div>
      {mitigate?.action === "bypass" && (
        <label className="check">
          <input
            type="checkbox"
            checked={mitigate.bypassSystem ?? false}
            onChange={({ target }) => onChange({ ...mitigate, bypassSystem: target.checked })}
          />
          Bypass the managed sets and attack mode, too
        </label>
      )}
    </>
  );
}
