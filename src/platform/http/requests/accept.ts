// Content negotiation: the form of the response that a request accepts. RFC 9110, section 12.5.1

/** The content type of most responses. */
export const JSON_TYPE = "application/json; charset=utf-8";
export const TEXT_TYPE = "text/plain; charset=utf-8";

interface MediaRange {
  readonly type: string;
  readonly weight: number;
}

/** A client that accepts errors in this form also accepts JSON. RFC 9457 */
const PROBLEM = "application/problem+json";

function readRanges(accept: string): MediaRange[] {
  return accept.split(",").map((text) => {
    const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    const weight = quality === undefined ? 1 : Number(quality.slice(2));
    return { type: name === PROBLEM ? "application/json" : name, weight: Number.isNaN(weight) ? 0 : weight };
  });
}

/** How specifically a range matches a media type: exactly (3), by its type (2), as a wildcard (1), or not at all (0). */
function closeness(range: string, mediaType: string): number {
  if (range === mediaType) return 3;
  if (range === `${mediaType.split("/")[0]}/*`) return 2;
  return range === "*/*" ? 1 : 0;
}

/** Whether the Accept-Encoding header allows an encoding. RFC 9110, section 12.5.3 */
export function acceptsEncoding(accepted: string | undefined, encoding: "gzip" | "br"): boolean {
  return readRanges(accepted ?? "").some(({ type, weight }) => type === encoding && weight > 0);
}

/**
 * The media type that a client prefers. With equal weights, a more specific match comes first, then the order of `offered`.
 * Undefined: the client accepts none of them.
 */
export function chooseMediaType(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined || accept.trim() === "") return offered[0];
  const ranges = readRanges(accept);
  const wanted = offered.map((mediaType) => {
    const [best] = ranges
      .map(({ type, weight }) => ({ weight, closeness: closeness(type, mediaType) }))
      .toSorted((a, b) => b.closeness - a.closeness);
    return { mediaType, weight: best && best.closeness > 0 ? best.weight : 0, closeness: best?.closeness ?? 0 };
  });
  return wanted
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight || b.closeness - a.closeness)[0]?.mediaType;
}
