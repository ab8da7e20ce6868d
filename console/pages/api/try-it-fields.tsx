// The fields of a call: its parameters, the form of the response, and the body as JSON.
import { useId } from "react";
import type { ReactNode } from "react";
import type { JsonSchema, Resolve } from "../../../src/serve/reference/schema-words.ts";
import type { ReeveError } from "../../../src/client/error.ts";
import { useApi } from "../../api/queries.ts";
import { Field } from "../../parts/field.tsx";
import type { Operation, Parameter } from "./operations.ts";
import { Select } from "../../parts/select.tsx";

/** The values that there are to choose from; undefined: any of its type. */
function valuesOf({ type, enum: values }: JsonSchema): readonly unknown[] | undefined {
  return type === "boolean" ? [true, false] : values;
}

/** How the API names a field of the form in a refusal. */
function problemOf(refusal: ReeveError | null, place: string, name: string): string | null {
  if (!refusal || refusal.field !== `${place}.${name}`) return null;
  return refusal.message;
}

/** The teams that one may name, for anyone who does not know their slugs by heart. */
function TeamList({ id }: { readonly id: string }): ReactNode {
  const teams = useApi("GET /v2/teams", { query: { limit: 100 } }).data?.value.teams ?? [];
  return (
    <datalist id={id}>
      {teams.map(({ slug, name }) => (
        <option key={slug} value={slug}>
          {name ?? slug}
        </option>
      ))}
    </datalist>
  );
}

function ParameterField({
  resolve,
  parameter,
  refusal,
  teams,
}: {
  readonly resolve: Resolve;
  readonly parameter: Parameter;
  readonly refusal: ReeveError | null;
  readonly teams: string;
}): ReactNode {
  const { name, in: place, schema, required, example } = parameter;
  const values = valuesOf(resolve(schema));
  const isTeam = name === "teamId" || name === "slug";
  const common = { name: `${place}.${name}`, required: required === true };
  const hint =
    schema.type === "array"
      ? "Several with commas between them."
      : isTeam && place === "query"
        ? "Empty: your own account."
        : undefined;
  return (
    <Field label={name} problem={problemOf(refusal, place, name)} {...(hint === undefined ? {} : { hint })}>
      {(control) =>
        values ? (
          <Select
            {...control}
            name={common.name}
            choices={[...(common.required ? [] : [["", "not set"] as const]), ...values.map(String)]}
          />
        ) : (
          <input
            {...control}
            {...common}
            autoComplete="off"
            spellCheck={false}
            list={isTeam ? teams : undefined}
            placeholder={example === undefined ? undefined : `such as ${String(example)}`}
          />
        )
      }
    </Field>
  );
}

/** What most calls do without. A team is worth naming where the call may be about one. */
function isExtra({ access }: Operation, { name, in: place, required, example }: Parameter): boolean {
  if (place === "query" && name === "teamId") return access !== "owner";
  return required !== true && (example === undefined || name === "slug");
}

function Accept({ operation: { forms } }: { readonly operation: Operation }): ReactNode {
  const types = forms.map(({ type }) => type);
  // Refusals come as JSON, whatever was asked for.
  if (types.length < 2)
    return <input type="hidden" name="accept" value={`${types[0] ?? "*/*"}, application/json;q=0.5`} />;
  return (
    <Field label="Form of the response">{(control) => <Select {...control} name="accept" choices={types} />}</Field>
  );
}

export function CallFields({
  resolve,
  operation,
  refusal,
  bodyProblem,
}: {
  readonly resolve: Resolve;
  readonly operation: Operation;
  readonly refusal: ReeveError | null;
  readonly bodyProblem: string | null;
}): ReactNode {
  const { body, parameters } = operation;
  const teams = useId();
  // A team that the path names needs no other.
  const isOfPath = parameters.some(({ name, in: place }) => place === "path" && name === "teamId");
  const fits = parameters.filter(
    ({ name, in: place }) => !(isOfPath && place === "query" && /^(?:teamId|slug)$/.test(name)),
  );
  const render = (parameter: Parameter) => (
    <ParameterField
      key={`${parameter.in}.${parameter.name}`}
      resolve={resolve}
      parameter={parameter}
      refusal={refusal}
      teams={teams}
    />
  );
  const extra = fits.filter((one) => isExtra(operation, one));
  const bodyHint = body && !body.isRequired ? { hint: "It may be left empty." } : {};
  const refused = refusal?.field.startsWith("body") ? refusal.message : null;
  return (
    <>
      <TeamList id={teams} />
      {fits.filter((one) => !extra.includes(one)).map(render)}
      {body && (
        <Field label="Body (JSON)" problem={bodyProblem ?? refused} {...bodyHint}>
          {(control) => (
            <textarea
              {...control}
              name="body"
              className="code-input"
              spellCheck={false}
              required={body.isRequired}
              rows={Math.min(16, (JSON.stringify(body.example, null, 2) ?? "").split("\n").length + 1)}
              defaultValue={body.example === undefined ? "" : JSON.stringify(body.example, null, 2)}
            />
          )}
        </Field>
      )}
      <Accept operation={operation} />
      {extra.length > 0 && (
        <details className="extra">
          <summary>More parameters ({extra.length})</summary>
          {extra.map(render)}
        </details>
      )}
    </>
  );
}
