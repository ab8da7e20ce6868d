// One operation of the API: what it does, who may call it, what goes in and what comes out, examples, and a form to try it.
import type { ReactNode } from "react";
import { useParams } from "wouter";
import type { Resolve } from "../../../src/serve/reference/schema-words.ts";
import { ROLE_PERMISSIONS, TEAM_ROLES } from "../../../src/platform/kernel/roles.ts";
import type { Permission } from "../../../src/platform/kernel/roles.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Empty, Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useReference } from "./document.ts";
import { Examples } from "./examples.tsx";
import { Method } from "./method.tsx";
import type { Operation } from "./operations.ts";
import { Prose } from "../../parts/prose.tsx";
import { SchemaView, ValueRow } from "./schema-view.tsx";
import { TryIt } from "./try-it.tsx";
import "./reference.css";
import { usePageTitle } from "../../parts/page-title.tsx";

const PLACES = { path: "In the path", query: "In the query", header: "In headers" };
/** Longer examples wait to be opened; in characters. */
const SHORT = 1_500;

interface Props {
  readonly resolve: Resolve;
  readonly operation: Operation;
}

function Callers({ operation: { callers, permission } }: Pick<Props, "operation">): ReactNode {
  const roles = TEAM_ROLES.filter((role) => ROLE_PERMISSIONS[role].includes(permission as Permission));
  return (
    <section>
      <h2>Who may call it</h2>
      <p>
        <Prose text={callers} />
      </p>
      {roles.length > 0 && <p className="hint">Roles with this permission: {roles.join(", ")}.</p>}
    </section>
  );
}

function Parameters({ resolve, operation: { parameters } }: Props): ReactNode {
  if (parameters.length === 0) return null;
  return (
    <section>
      <h2>Parameters</h2>
      {(["path", "query", "header"] as const).map((place) => {
        const some = parameters.filter((one) => one.in === place);
        if (some.length === 0) return null;
        return (
          <div key={place}>
            <h3>{PLACES[place]}</h3>
            <ul className="members">
              {some.map(({ name, schema, required, description }) => (
                <ValueRow
                  key={name}
                  resolve={resolve}
                  name={name}
                  schema={schema}
                  mark={required === true ? "required" : null}
                  description={description ?? ""}
                />
              ))}
            </ul>
          </div>
        );
      })}
    </section>
  );
}

function Body({ resolve, operation: { body } }: Props): ReactNode {
  if (!body) return null;
  return (
    <section>
      <h2>{body.isRequired ? "Body" : "Body, which may be left out"}</h2>
      <SchemaView resolve={resolve} schema={body.schema} marks="required" />
    </section>
  );
}

function ResponseExample({ text }: { readonly text: string }): ReactNode {
  return (
    <details open={text.length < SHORT}>
      <summary>Example</summary>
      <pre className="code">{text}</pre>
      <CopyButton text={text} />
    </details>
  );
}

function Response({ resolve, operation }: Props): ReactNode {
  const { forms, returns, status } = operation;
  const example = forms.find((form) => form.example !== undefined)?.example;
  return (
    <section>
      <h2>Response {status}</h2>
      <p>
        <Prose text={returns} />
      </p>
      {example !== undefined && <ResponseExample text={JSON.stringify(example, null, 2)} />}
      {forms.map(({ type, schema }) => (
        <div key={type}>
          <h3>
            <code>{type}</code>
          </h3>
          <SchemaView resolve={resolve} schema={schema} marks="optional" />
        </div>
      ))}
    </section>
  );
}

function Errors({ operation: { errors } }: Pick<Props, "operation">): ReactNode {
  return (
    <section>
      <h2>Errors</h2>
      {errors.length > 0 && (
        <dl>
          {errors.map(({ status, codes }) => [
            <dt key={`${status}-status`}>{status}</dt>,
            <dd key={status}>
              {codes.map((code) => (
                <a key={code} className="listed" href={`../docs/errors#${code}`}>
                  <code>{code}</code>
                </a>
              ))}
            </dd>,
          ])}
        </dl>
      )}
      <p className="hint">
        {errors.length > 0 ? "And those that every call can give:" : "Those that every call can give:"}{" "}
        <a href="../docs/errors">all errors</a>
      </p>
    </section>
  );
}

function Head({ operation }: Pick<Props, "operation">): ReactNode {
  const { aliases, description, method, path } = operation;
  return (
    <>
      <p className="endpoint">
        <Method method={method} /> <code>{path}</code> <CopyButton text={path} />
      </p>
      {aliases.length > 0 && (
        <p className="hint">
          Also at{" "}
          {aliases.map((alias) => (
            <code key={alias} className="listed">
              {alias}
            </code>
          ))}
        </p>
      )}
      {description.map((paragraph) => (
        <p key={paragraph}>
          <Prose text={paragraph} />
        </p>
      ))}
    </>
  );
}

function Events({ operation: { events } }: Pick<Props, "operation">): ReactNode {
  if (events.length === 0) return null;
  return (
    <section>
      <h2>Events that it records</h2>
      <p>
        {events.map((event) => (
          <code key={event} className="listed">
            {event}
          </code>
        ))}
      </p>
    </section>
  );
}

function Whole({ resolve, operation }: Props): ReactNode {
  return (
    <article className="operation">
      <div className="head">
        <Head operation={operation} />
        <Callers operation={operation} />
      </div>
      <div className="beside">
        <Examples operation={operation} />
        <TryIt resolve={resolve} operation={operation} key={operation.id} />
      </div>
      <div className="rest">
        <Parameters resolve={resolve} operation={operation} />
        <Body resolve={resolve} operation={operation} />
        <Response resolve={resolve} operation={operation} />
        <Errors operation={operation} />
        <Events operation={operation} />
      </div>
    </article>
  );
}

export function OperationPage(): ReactNode {
  const { operation: id } = useParams<{ readonly operation: string }>();
  const { data, error, isPending, refetch } = useReference();
  const operation = data?.operations.find((one) => one.id === id);
  usePageTitle(operation?.summary);
  if (isPending) return <Skeleton />;
  return (
    <>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {data && operation && <Whole resolve={data.resolve} operation={operation} />}
      {data && !operation && (
        <Empty
          title="There is no such call"
          hint="The address may be mistyped, or be of another version of this server."
        />
      )}
    </>
  );
}
