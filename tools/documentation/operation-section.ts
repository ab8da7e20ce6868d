// One operation of the API, as the reference shows it: from openapi.json, with the samples that the console shows.
import { snippetsOf } from "../../console/pages/api/snippets.ts";
import type { Operation } from "../../console/pages/api/operations.ts";
import { prose } from "../../src/platform/http/page-frame.ts";
import { html } from "../../src/platform/kernel/text/html.ts";
import type { Html } from "../../src/platform/kernel/text/html.ts";
import { limitsOf, membersOf, typeName } from "../../src/serve/reference/schema-words.ts";
import type { JsonSchema, Resolve } from "../../src/serve/reference/schema-words.ts";

const SERVER = "http://localhost:4000/";
const LANGUAGES = {
  cli: "Command line",
  client: "Client",
  curl: "curl",
  typescript: "fetch",
  sdk: "@vercel/sdk",
} as const;

export interface ReferenceWords {
  readonly resolve: Resolve;
  /** The command that calls an operation, by its id. */
  readonly commands: ReadonlyMap<string, string>;
  /** The call of the client. */
  readonly clients: ReadonlyMap<string, string>;
}

function row(name: Html, schema: JsonSchema, resolve: Resolve, depth: number, description?: string): Html {
  const said = description ?? schema.description ?? resolve(schema).description ?? "";
  const limits = limitsOf(schema, resolve);
  return html`<tr>
    <td class="depth-${Math.min(depth, 6)}">${name}</td>
    <td class="quiet">${typeName(schema, resolve)}</td>
    <td>${prose(said)}${limits.length > 0 ? html` <span class="quiet">${prose(limits.join("; "))}</span>` : ""}</td>
  </tr>`;
}

const nameCell = (name: string, isRequired: boolean) =>
  html`<code>${name}</code>${isRequired ? html` <span class="required">required</span>` : ""}`;

/** Recursive schemas are shown once. */
function memberRows(schema: JsonSchema, resolve: Resolve, depth = 0, above: readonly JsonSchema[] = []): Html[] {
  const own = resolve(schema);
  if (above.includes(own)) return [];
  return membersOf(schema, resolve).flatMap((member) => [
    row(nameCell(member.name || "any name", member.isRequired), member.schema, resolve, depth),
    ...memberRows(member.schema, resolve, depth + 1, [...above, own]),
  ]);
}

function table(rows: readonly Html[]): Html {
  return html`<div class="scroll" tabindex="0">
    <table class="fields">
      <thead>
        <tr>
          <th>Name</th>
          <th>Type</th>
          <th>Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

function fold(title: string, content: Html): Html {
  return html`<details>
    <summary>${title}</summary>
    ${content}
  </details>`;
}

const block = (text: string) => html`<pre tabindex="0"><code>${text}</code></pre>`;

function schemaPart(schema: JsonSchema, resolve: Resolve): Html {
  const rows = memberRows(schema, resolve);
  const type = typeName(schema, resolve);
  return rows.length > 0 ? table(rows) : html`<p class="quiet">${type === "object" ? "No members." : type}</p>`;
}

function samples(operation: Operation, { commands, clients }: ReferenceWords): Html {
  const [command, call] = [commands.get(operation.id), clients.get(operation.id)];
  const texts: readonly (readonly [keyof typeof LANGUAGES, string])[] = [
    ...(command === undefined ? [] : [["cli", command] as const]),
    ...(call === undefined ? [] : [["client", call] as const]),
    ...snippetsOf(operation, SERVER).map(({ language, text }) => [language, text] as const),
  ];
  return html`<div class="samples">
    ${texts.map(
      ([language, text], at) =>
        html`<details name="sample-${operation.id}" ${at === 0 ? "open" : ""}>
          <summary>${LANGUAGES[language]}</summary>
          ${block(text)}
        </details>`,
    )}
  </div>`;
}

function responsePart({ status, returns, forms }: Operation, resolve: Resolve): Html {
  const parts = forms.map(({ type, schema, example }) => {
    const isJson = type === "application/json";
    return html`${forms.length > 1 || !isJson ? html`<p>As <code>${type}</code></p>` : ""}
    ${example === undefined ? "" : block(typeof example === "string" ? example : JSON.stringify(example, null, 2))}
    ${isJson ? fold("Members", schemaPart(schema, resolve)) : ""}`;
  });
  return html`<h3>Response <span class="status">${status}</span></h3>
    <p>${prose(returns)}</p>
    ${parts}`;
}

function errorPart({ errors }: Operation): Html {
  const rows = errors.map(
    ({ status, codes }) =>
      html`<tr>
        <td>${status}</td>
        <td>${codes.map((code) => html`<a href="errors#${code}"><code>${code}</code></a> `)}</td>
      </tr>`,
  );
  const own = html`<table class="errors">
    <tbody>
      ${rows}
    </tbody>
  </table>`;
  return html`<h3>Errors</h3>
    ${rows.length > 0 ? own : ""}
    <p class="quiet">${rows.length > 0 ? "And those" : "Those"} that <a href="errors">every call</a> can give.</p>`;
}

export function operationSection(operation: Operation, words: ReferenceWords): Html {
  const { aliases, body, callers, description, events, id, method, parameters, path, summary } = operation;
  const { resolve } = words;
  const parameterRows = parameters.map((one) =>
    row(nameCell(one.name, one.required === true), one.schema, resolve, 0, one.description),
  );
  return html`<section class="operation">
    <h2 id="${id}">${prose(summary)} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h2>
    <p class="path"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
    ${aliases.length > 0 ? html`<p class="quiet">Also ${aliases.map((alias) => html`<code>${alias}</code> `)}</p>` : ""}
    ${description.map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
    <p class="quiet">${prose(callers)}</p>
    ${samples(operation, words)}
    ${
      parameterRows.length > 0
        ? html`<h3>Parameters</h3>
            ${table(parameterRows)}`
        : ""
    }
    ${
      body
        ? html`<h3>Body${body.isRequired ? "" : " (may be left out)"}</h3>
            ${schemaPart(body.schema, resolve)}`
        : ""
    }
    ${responsePart(operation, resolve)} ${errorPart(operation)}
    ${
      events.length > 0
        ? html`<h3>Events</h3>
            <p>${events.map((type) => html`<code>${type}</code> `)}</p>`
        : ""
    }
  </section>`;
}
