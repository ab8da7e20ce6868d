// Describes a request: what most rules read is in view, and the rest one click away.
import { Play } from "lucide-react";
import { useId, useState } from "react";
import type { HTMLAttributes, ReactNode } from "react";
import { useSearchParams } from "wouter";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { onSubmit, problemWith } from "../../../parts/form.tsx";
import type { Fields } from "../../../parts/form.tsx";
import { pasteCurl } from "./paste-curl.ts";
import { ConfigChoice } from "./config-choice.tsx";
import { BOT_FIELDS, GEO_FIELDS, HeaderProblem, METHODS, TEXT_FIELDS } from "./request-attributes.ts";
import { Select } from "../../../parts/select.tsx";

const ATTRIBUTE_NAMES = {
  protocol: "Protocol",
  continent: "Continent",
  subdivision: "Region of the country",
  city: "City",
  asNumber: "Number of the autonomous system",
  ja3: "JA3 digest",
  ja4: "JA4 digest",
  botName: "Bot: name",
  botCategory: "Bot: category",
  botStatus: "Bot: status",
  botProtection: "Bot: protection",
  region: "Region of the server",
  environment: "Environment",
  domainEnvironment: "Environment of the domain",
  route: "Route",
  targetPath: "Target path",
  serverAction: "Server action",
  rateLimitApiId: "Id of the rate limit API",
  trafficSource: "Traffic source",
  trustedSource: "Trusted source",
};
const ATTACK_MODES = { now: "as it is now", on: "assume that it is on", off: "assume that it is off" };
/** Kept in the page's address, unlike headers and bodies, which may hold credentials. */
const KEPT_FIELDS = ["method", "url", "ip", "country"] as const;

/** How the API names a field of the form. */
function pathOf(name: string): string {
  return `requests[0].${name === "country" ? "geo.country" : name}`;
}

/** The fields that are always in view, and so show a refusal that is about them. */
export const SHOWN_FIELDS = KEPT_FIELDS.map(pathOf);

interface TextProps extends HTMLAttributes<HTMLInputElement> {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly error: Error | null;
  readonly required?: boolean;
  readonly list?: string;
}

function TextField({ name, label, hint, error, ...rest }: TextProps): ReactNode {
  const problem = problemWith(error, pathOf(name));
  return (
    <Field label={label} problem={problem} {...(hint !== undefined && { hint })}>
      {(control) => <input {...control} {...rest} name={name} autoComplete="off" spellCheck={false} />}
    </Field>
  );
}

function More({ error }: { readonly error: Error | null }): ReactNode {
  return (
    <details className="more">
      <summary>More about the request</summary>
      <div className="columns">
        {[...GEO_FIELDS, ...BOT_FIELDS, ...TEXT_FIELDS].map((name) => (
          <TextField key={name} name={name} label={ATTRIBUTE_NAMES[name]} error={error} />
        ))}
        <TextField name="rulesets" label="Rule sets that matched" hint="With commas between them." error={error} />
      </div>
      <Field label="Body">{(control) => <textarea {...control} name="body" rows={3} spellCheck={false} />}</Field>
    </details>
  );
}

function HowDecided(): ReactNode {
  return (
    <div className="columns">
      <ConfigChoice name="config" label="Configuration" versionLabel="Number of the version" />
      <ConfigChoice
        name="compare"
        label="Compare with"
        versionLabel="Number of the version to compare with"
        none="nothing"
      />
      <Field label="Attack mode">{(control) => <Select {...control} name="attackMode" choices={ATTACK_MODES} />}</Field>
      <Field label="How many times" hint="More than once shows what rate limits do.">
        {(control) => <input {...control} name="times" type="number" min={1} max={1_000} defaultValue={1} required />}
      </Field>
    </div>
  );
}

interface Props {
  readonly error: Error | null;
  readonly isBusy: boolean;
  /** Throws `HeaderProblem`. */
  readonly onTry: (field: Fields) => void;
}

export function RequestForm({ error, isBusy, onTry }: Props): ReactNode {
  const methods = useId();
  const [params, setParams] = useSearchParams();
  const [headerProblem, setHeaderProblem] = useState<string | null>(null);
  const submit = onSubmit((field) => {
    try {
      onTry(field);
    } catch (problem) {
      if (!(problem instanceof HeaderProblem)) throw problem;
      setHeaderProblem(problem.message);
      return;
    }
    setHeaderProblem(null);
    const keep = (old: URLSearchParams): URLSearchParams => {
      const next = new URLSearchParams(old);
      for (const name of KEPT_FIELDS) next.set(name, field(name));
      return next;
    };
    setParams(keep, { replace: true });
  });
  const valueOf = (name: (typeof KEPT_FIELDS)[number]): string => params.get(name) ?? "";
  return (
    <form className="panel" onSubmit={submit} onPaste={pasteCurl}>
      <h2>Request</h2>
      <div className="columns">
        <div className="wide">
          <TextField
            name="url"
            label="URL"
            hint="https://example.com/path?query, or from the path on. A pasted call of curl fills the form."
            error={error}
            defaultValue={valueOf("url")}
            required
          />
        </div>
        <TextField
          name="method"
          label="Method"
          error={error}
          defaultValue={valueOf("method") || "GET"}
          list={methods}
        />
        <TextField
          name="country"
          label="Country"
          hint="Two letters, such as DE."
          error={error}
          defaultValue={valueOf("country")}
        />
        <div className="wide">
          <TextField name="ip" label="Client address" error={error} defaultValue={valueOf("ip")} />
        </div>
      </div>
      <datalist id={methods}>
        {METHODS.map((method) => (
          <option key={method}>{method}</option>
        ))}
      </datalist>
      <Field label="Headers" hint="One on each line, as Name: value." problem={headerProblem}>
        {(control) => <textarea {...control} name="headers" rows={3} spellCheck={false} autoComplete="off" />}
      </Field>
      <More error={error} />
      <HowDecided />
      <footer>
        <Button type="submit" busy={isBusy}>
          <Play className="i" />
          Run
        </Button>
      </footer>
    </form>
  );
}
