// The tables at the end of the reference page: roles, error codes, events.
import { HTTP_ERRORS } from "../../platform/kernel/http-errors.ts";
import { ERROR_STATUS } from "../../platform/kernel/errors.ts";
import type { ErrorCode } from "../../platform/kernel/errors.ts";
import { PERMISSIONS, ROLE_PERMISSIONS, TEAM_ROLES } from "../../platform/kernel/roles.ts";
import type { NamedEndpoint } from "../../platform/operations/endpoint-details.ts";
import { prose } from "../../platform/http/page-frame.ts";
import { ERROR_REMEDIES } from "./error-remedies.ts";
import { html } from "../../platform/kernel/text/html.ts";
import type { Html } from "../../platform/kernel/text/html.ts";

export function roleTable(): Html {
  const head = TEAM_ROLES.map((role) => html`<th scope="col"><span>${role}</span></th>`);
  const rows = PERMISSIONS.map(
    (permission) =>
      html`<tr>
        <th scope="row"><code>${permission}</code></th>
        ${TEAM_ROLES.map((role) =>
          ROLE_PERMISSIONS[role].includes(permission) ? html`<td class="yes">yes</td>` : html`<td class="no">–</td>`,
        )}
      </tr>`,
  );
  return html`<div class="scroll">
    <table class="roles">
      <thead>
        <tr>
          <td></td>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

const HTTP_CODES: ReadonlySet<string> = new Set(HTTP_ERRORS);

/** The source of a code: every call, the router, or the endpoints that declare it. */
function sourcesOf(code: ErrorCode, endpoints: readonly NamedEndpoint[]): Html {
  if (HTTP_CODES.has(code)) return html`<span class="quiet">any call</span>`;
  if (code === "method_unknown") return html`<span class="quiet">any path, for a method that it does not know</span>`;
  if (code === "plan_not_supported") return html`<span class="quiet">paths of a firewall for a whole team</span>`;
  const links = endpoints
    .filter(({ endpoint }) => endpoint.errors.includes(code))
    .map(({ id, endpoint }) => html`<a href="#${id}">${prose(endpoint.summary)}</a> `);
  return html`<span class="list">${links}</span>`;
}

export function errorList(endpoints: readonly NamedEndpoint[]): Html {
  const codes = Object.entries(ERROR_STATUS).toSorted(([, a], [, b]) => a - b) as [ErrorCode, number][];
  const rows = codes.map(
    ([code, status]) =>
      html`<tr id="error-${code}">
        <td>${status}</td>
        <td><code>${code}</code></td>
        <td>${prose(ERROR_REMEDIES[code])}</td>
        <td>${sourcesOf(code, endpoints)}</td>
      </tr>`,
  );
  return html`<div class="scroll">
    <table class="error-list">
      <thead>
        <tr>
          <th>Status</th>
          <th>Code</th>
          <th>What to do</th>
          <th>Given by</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

export function eventList(endpoints: readonly NamedEndpoint[]): Html {
  const types = [...new Set(endpoints.flatMap(({ endpoint }) => endpoint.emits))].toSorted();
  const rows = types.map((type) => {
    const writers = endpoints.filter(({ endpoint }) => endpoint.emits.includes(type));
    const links = writers.map(({ id, endpoint }) => html`<a href="#${id}">${prose(endpoint.summary)}</a> `);
    return html`<tr id="event-${type}">
      <td><code>${type}</code></td>
      <td><span class="list">${links}</span></td>
    </tr>`;
  });
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          <th>Type</th>
          <th>Written by</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}
