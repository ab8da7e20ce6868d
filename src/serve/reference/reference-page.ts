// The API reference: one HTML page rendered from the endpoints, without scripts and external resources.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { NamedEndpoint } from "../../platform/operations/endpoint-details.ts";
import { PUBLIC_ENDPOINTS } from "../../platform/http/public-endpoints.ts";
import { endpointSection, methodLabel } from "./reference-endpoint.ts";
import { createPageFrame, prose } from "../../platform/http/page-frame.ts";
import { MARK } from "../../platform/kernel/appearance.ts";
import { html } from "../../platform/kernel/text/html.ts";
import type { Html } from "../../platform/kernel/text/html.ts";
import { STYLE } from "./reference-style.ts";
import { errorList, eventList, roleTable } from "./reference-tables.ts";

const FRAME = createPageFrame(STYLE);
export const REFERENCE_HEADERS = FRAME.headers;

const CONCEPTS: readonly (readonly [id: string, title: string, paragraphs: readonly string[]])[] = [
  [
    "credentials",
    "Credentials",
    [
      "Send `Authorization: Bearer <credential>`; an API key may also be sent as `X-API-Key`. An access token (`rvt_…`) authenticates a user, an API key (`rvk_…`) a team or a user. Without a valid credential the response is 401.",
    ],
  ],
  [
    "scope",
    "Scope",
    [
      "`teamId` or `slug` in the query names the team that a call is about; either takes an id or a slug. Without them the call is about the caller's own account, or the team that the credential belongs to. Endpoints that existing clients call take an empty one as absent, the others refuse it; two different teams are refused with `scope_conflict`.",
      "Resources you may not see return 404, the same as resources that do not exist. Changing a resource that you may see but not change returns 403.",
    ],
  ],
  [
    "pages",
    "Pages",
    [
      "Lists are sorted newest first, 20 items a page unless `limit` says otherwise. Pass `pagination.next` as `until` for the next (older) page, `pagination.prev` as `since` for the previous (newer) one. The `Link` header has both URLs.",
    ],
  ],
  [
    "retries",
    "Retries and lost updates",
    [
      "A POST with an `Idempotency-Key` is carried out once: for 24 hours the same key and body get the stored response, marked `Idempotency-Replayed: true`.",
      "A response about one object has its `ETag`. Send it back as `If-Match` with a change: the change is refused with 412 when somebody else has changed the object since. A change that begins an object takes `If-None-Match: *`: it is refused with 412 when somebody else has begun it.",
      "`X-RateLimit-*` and `RateLimit` show how many requests are left in this minute, over all credentials of the user, or all API keys of the team; after 429 and 503, wait for the seconds in `Retry-After`.",
    ],
  ],
  [
    "bodies",
    "Bodies",
    [
      "JSON in UTF-8, at most 1 MiB; unknown keys are refused by name. Times are integer milliseconds since the epoch unless a field says otherwise.",
      'Errors are `{"error":{"code","message",…}}`, or RFC 9457 problem details when you send `Accept: application/problem+json`. Branch on the code; the message is for people. Every response has an `X-Request-Id`.',
    ],
  ],
];

function anchor(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}

function byTag(endpoints: readonly NamedEndpoint[]): Map<string, NamedEndpoint[]> {
  const groups = new Map<string, NamedEndpoint[]>();
  for (const named of endpoints) {
    groups.set(named.endpoint.tag, [...(groups.get(named.endpoint.tag) ?? []), named]);
  }
  return groups;
}

function navigation(groups: ReadonlyMap<string, readonly NamedEndpoint[]>): Html {
  const tags = [...groups].map(
    ([tag, members]) =>
      html`<li>
        <a class="tag" href="#tag-${anchor(tag)}">${tag}</a>
        <ul>
          ${members.map(
            ({ id, endpoint }) =>
              html`<li>
                <a href="#${id}">${methodLabel(endpoint.method)}<span>${prose(endpoint.summary)}</span></a>
              </li>`,
          )}
        </ul>
      </li>`,
  );
  return html`<nav aria-label="Contents">
    <ul>
      <li>
        <a class="tag" href="#basics">Basics</a>
        <ul>
          ${CONCEPTS.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}
        </ul>
      </li>
      ${tags}
      <li><a class="tag" href="#roles">Roles</a></li>
      <li><a class="tag" href="#errors">Errors</a></li>
      <li><a class="tag" href="#events">Events</a></li>
      <li><a class="tag" href="#service">Service</a></li>
    </ul>
  </nav>`;
}

function basicsSection(): Html {
  const concepts = CONCEPTS.map(
    ([id, title, paragraphs]) =>
      html`<section id="${id}">
        <h3>${title}</h3>
        ${paragraphs.map((text) => html`<p>${prose(text)}</p>`)}
      </section>`,
  );
  return html`<section id="basics">
    <h2>Basics</h2>
    ${concepts}
  </section>`;
}

/** In turns: all of them together take a fifth of a second when they are rendered for the first time. */
async function tagSections(groups: ReadonlyMap<string, readonly NamedEndpoint[]>): Promise<Html[]> {
  const sections: Html[] = [];
  for (const [tag, members] of groups) {
    sections.push(
      html`<section id="tag-${anchor(tag)}">
        <h2>${tag}</h2>
        ${members.map(endpointSection)}
      </section>`,
    );
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await nextTurn();
  }
  return sections;
}

/** The sections that are about all endpoints together. */
function tableSections(endpoints: readonly NamedEndpoint[]): Html {
  return html`<section id="roles">
      <h2>Roles and permissions</h2>
      <p>
        What each role may do in its team. Instance administrators may do what an OWNER may. An API key never has more
        than its role allows.
      </p>
      ${roleTable()}
    </section>
    <section id="errors">
      <h2>Errors</h2>
      <p>Every code that there is. Clients may branch on them: a code never changes its status.</p>
      ${errorList(endpoints)}
    </section>
    <section id="events">
      <h2>Events</h2>
      <p>What is recorded, and by which calls.</p>
      ${eventList(endpoints)}
    </section>`;
}

function serviceSection(): Html {
  const rows = PUBLIC_ENDPOINTS.map(
    ({ method, path, summary }) =>
      html`<tr>
        <td><code>${method} ${path}</code></td>
        <td>${prose(summary)}</td>
      </tr>`,
  );
  return html`<section id="service">
    <h2>Service</h2>
    <p>These need no credential.</p>
    <table>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </section>`;
}

/** Renders the whole page. */
export async function renderReference(endpoints: readonly NamedEndpoint[], version: string): Promise<string> {
  const groups = byTag(endpoints);
  const sections = await tagSections(groups);
  const content = html` <header>
      ${MARK}
      <h1><a href="#basics">Reeve</a> API reference</h1>
      <span class="version">${version}</span>
      <a class="machine" href="openapi.json">openapi.json</a>
    </header>
    <div class="columns">
      ${navigation(groups)}
      <main>${basicsSection()} ${sections} ${tableSections(endpoints)} ${serviceSection()}</main>
    </div>`;
  return FRAME.render(`Reeve ${version}: API reference`, content);
}
