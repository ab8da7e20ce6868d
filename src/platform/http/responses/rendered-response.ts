// The response of an endpoint: its result as JSON, which has only what the response schema names, and the headers that follow
// from the result.
import fastJsonStringify from "fast-json-stringify";
import { isRendered } from "../../kernel/contract.ts";
import type { Endpoint, ResultExtras } from "../../kernel/contract.ts";
import { pageLinks } from "../../kernel/pagination.ts";
import type { PageLinks } from "../../kernel/pagination.ts";
import { entityTag } from "../../kernel/revision.ts";
import { JSON_TYPE, TEXT_TYPE } from "../requests/accept.ts";
import { adaptForClient } from "./client-profile.ts";
import type { HeaderList } from "./header-list.ts";

/** A response as it is sent, apart from the headers that all responses have. */
export interface RenderedResponse {
  readonly etag: string | null;
  readonly link: string | null;
  readonly contentType: string;
  /** Null where the status allows no body. */
  readonly body: string | Uint8Array | null;
}

/** The headers of a response without its length. */
export function responseHeaders({ etag, link, contentType, body }: RenderedResponse): HeaderList {
  const headers: string[] = [];
  if (etag !== null) headers.push("etag", etag);
  if (link !== null) headers.push("link", link);
  if (body !== null) headers.push("content-type", contentType);
  return headers;
}

/** The request of a response, as far as the response depends on it. */
interface ResponseSource {
  readonly path: string;
  readonly queryText: string;
  readonly userAgent: string | undefined;
}

/** `Link` of a page: the URL of the same request with another cursor. RFC 8288 */
function linkHeader(publicUrl: string, { path, queryText }: ResponseSource, links: PageLinks): string | null {
  const link = (rel: "next" | "prev") => {
    const cursor = links[rel];
    if (!cursor) return [];
    const query = new URLSearchParams(queryText);
    for (const key of links.replaced) query.delete(key);
    query.set(cursor.name, String(cursor.value));
    return [`<${publicUrl}${path}?${query.toString()}>; rel="${rel}"`];
  };
  return [...link("next"), ...link("prev")].join(", ") || null;
}

/** A serializer that is compiled for the first response: compiling all of them at start would double the start-up time. */
function createSerializer({ response }: Endpoint): (result: unknown) => string | Uint8Array {
  let stringify: ((value: unknown) => string) | undefined;
  return (result) => {
    if (isRendered(result)) return result.rendered;
    stringify ??= fastJsonStringify(response as never) as (value: unknown) => string;
    return stringify(result);
  };
}

/** Renders the results of the operation `id`. `publicUrl` is the base of absolute URLs. */
export function createRenderer(
  id: string,
  endpoint: Endpoint,
  publicUrl: string,
): (result: unknown, source: ResponseSource) => RenderedResponse {
  const serialize = createSerializer(endpoint);
  return (result, source) => {
    const { revision, contentTag, page, links = page && pageLinks(page) } = (result ?? {}) as ResultExtras;
    return {
      etag: entityTag(contentTag ?? revision),
      link: links ? linkHeader(publicUrl, source, links) : null,
      contentType: isRendered(result) && result.mediaType !== undefined ? TEXT_TYPE : JSON_TYPE,
      body: endpoint.status === 204 ? null : serialize(adaptForClient(source.userAgent, id, result)),
    };
  };
}
