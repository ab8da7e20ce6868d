// The section of one endpoint on the reference page.
import type { ErrorCode } from "../../platform/kernel/errors.ts";
import {
  describeAccess,
  errorsByStatus,
  takesIdempotencyKey,
  takesIfMatch,
  templatePath,
} from "../../platform/operations/endpoint-details.ts";
import type { NamedEndpoint } from "../../platform/operations/endpoint-details.ts";
import { prose } from "../../platform/http/page-frame.ts";
import { html } from "../../platform/kernel/text/html.ts";
import type { Html } from "../../platform/kernel/text/html.ts";
import type { JsonSchema, Resolve } from "./schema-words.ts";
import { limitsOf, membersOf, typeName } from "./schema-words.ts";

interface Field {
  /** Depth of nesting; 0 for the members of the body itself. */
  readonly depth: number;
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
  /** Limits of its value, such as "at most 48 characters". */
  readonly limits: readonly string[];
}

/** The contracts' schemas stand in place. */
const IN_PLACE: Resolve = (schema) => schema;

/** What a row says of one value. */
function describeValue(schema: JsonSchema): Pick<Field, "type" | "description" | "limits"> {
  return {
    type: typeName(schema, IN_PLACE),
    description: schema.description ?? "",
    limits: limitsOf(schema, IN_PLACE),
  };
}

/** All fields of a body, each followed by its own fields. */
function fieldsOf(schema: JsonSchema, depth = 0): Field[] {
  return membersOf(schema, IN_PLACE).flatMap(({ name, schema: member, isRequired }) => [
    { depth, name: name || "any name", isRequired, ...describeValue(member) },
    ...fieldsOf(member, depth + 1),
  ]);
}

export function methodLabel(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function fieldRow({ depth, name, type, isRequired, description, limits }: Field): Html {
  const marker = isRequired ? html` <span class="required" title="required">*</span>` : "";
  const limitText = limits.length > 0 ? html`<span class="limits">${prose(limits.join("; "))}</span>` : "";
  return html`<tr>
    <td class="depth-${Math.min(depth, 6)}"><code>${name}</code>${marker}</td>
    <td class="type">${type}</td>
    <td>${prose(description)} ${limitText}</td>
  </tr>`;
}

function fieldTable(fields: readonly Field[]): Html {
  return html`<div class="scroll">
    <table class="fields">
      <thead>
        <tr>
          <th>Name</th>
          <th>Type</th>
          <th>Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${fields.map(fieldRow)}
      </tbody>
    </table>
  </div>`;
}

function bodyTable(schema: JsonSchema): Html {
  const fields = fieldsOf(schema);
  const { type } = describeValue(schema);
  return html`${type === "object" ? "" : html`<p>${type}</p>`}${fields.length > 0 ? fieldTable(fields) : html`<p class="quiet">No members.</p>`}`;
}

function subsection(title: string, content: Html | ""): Html | "" {
  return content === ""
    ? ""
    : html`<h4>${title}</h4>
        ${content}`;
}

function parameterFields({ endpoint }: NamedEndpoint): Field[] {
  const { params, path, query } = endpoint;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]): Field => {
    const schema = (params?.properties[name] ?? { type: "string" }) as JsonSchema;
    return { depth: 0, name: `{${name}}`, isRequired: true, ...describeValue(schema) };
  });
  return [...inPath, ...(query ? fieldsOf(query) : [])];
}

function acceptedHeaders({ endpoint }: NamedEndpoint): Html | "" {
  if (takesIdempotencyKey(endpoint))
    return html`<p class="quiet">
      Takes an <a href="#retries"><code>Idempotency-Key</code></a
      >.
    </p>`;
  if (endpoint.isLive) return html`<p class="quiet">Takes <code>Last-Event-ID</code>.</p>`;
  if (endpoint.isConditional) return html`<p class="quiet">Takes <code>If-None-Match</code>.</p>`;
  return takesIfMatch(endpoint)
    ? html`<p class="quiet">
        Takes <a href="#retries"><code>If-Match</code></a
        >${endpoint.beginsObject ? html` and <code>If-None-Match: *</code>` : ""}.
      </p>`
    : "";
}

/** The streamed forms of a response. */
function streamList({ endpoint: { streams = {} } }: NamedEndpoint): Html[] {
  return Object.entries(streams).map(
    ([mediaType, { description }]) => html`<p>As <code>${mediaType}</code>: ${prose(description)}</p>`,
  );
}

function errorLink(code: ErrorCode): Html {
  return html`<a href="#error-${code}"><code>${code}</code></a>`;
}

function errorTable({ endpoint }: NamedEndpoint): Html {
  const own = new Set<ErrorCode>(endpoint.errors);
  const rows = errorsByStatus(endpoint).flatMap(([status, codes]) => {
    const listed = codes.filter((code) => own.has(code));
    return listed.length === 0
      ? []
      : [
          html`<tr>
            <td>${status}</td>
            <td>${listed.map((code) => html`${errorLink(code)} `)}</td>
          </tr>`,
        ];
  });
  const table =
    rows.length > 0
      ? html`<table class="errors">
          <tbody>
            ${rows}
          </tbody>
        </table>`
      : "";
  return html`${table}
    <p class="quiet">${rows.length > 0 ? "And those" : "Those"} that <a href="#errors">every call</a> can give.</p>`;
}

export function endpointSection(named: NamedEndpoint): Html {
  const { id, endpoint } = named;
  const {
    aliases = [],
    body,
    description,
    emits,
    isBodyOptional,
    isLive,
    method,
    path,
    response,
    status = 200,
    summary,
  } = endpoint;
  const parameters = parameterFields(named);
  return html`<section class="endpoint" id="${id}">
    <h3><a href="#${id}">${prose(summary)}</a></h3>
    <p class="path">${methodLabel(method)} <code>${templatePath(path)}</code></p>
    ${aliases.length > 0 ? html`<p class="aliases">Also ${aliases.map((alias) => html`<code>${templatePath(alias)}</code> `)}</p>` : ""}
    ${description === undefined ? "" : html`<p>${prose(description)}</p>`}
    <p class="access">${prose(describeAccess(endpoint))}</p>
    ${acceptedHeaders(named)} ${subsection("Parameters", parameters.length > 0 ? fieldTable(parameters) : "")}
    ${subsection(isBodyOptional ? "Body (may be left out)" : "Body", body ? bodyTable(body) : "")}
    <h4>Response <span class="status">${status}</span></h4>
    ${status === 204 ? html`<p class="quiet">No body.</p>` : isLive ? "" : bodyTable(response)} ${streamList(named)}
    <h4>Errors</h4>
    ${errorTable(named)}
    ${subsection("Events", emits.length > 0 ? html`<p>${emits.map((type) => html`<code>${type}</code> `)}</p>` : "")}
  </section>`;
}
