// Which form of an answer a request asks for. RFC 9110, section 12.5.1

/** The form of most answers. */
export const JSON_TYPE = "application/json; charset=utf-8";

interface MediaRange {
  readonly type: string;
  readonly weight: number;
}

/** Who asks for problems in this form reads JSON. RFC 9457 */
const PROBLEM = "application/problem+json";

function readRanges(accept: string): MediaRange[] {
  return accept.split(",").map((text) => {
    const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    const weight = quality === undefined ? 1 : Number(quality.slice(2));
    return { type: name === PROBLEM ? "application/json" : name, weight: Number.isNaN(weight) ? 0 : weight };
  });
}

/** How closely a range names a media type: as such, by its first half, by accepting everything, or not at all. */
function closeness(range: string, mediaType: string): number {
  if (range === mediaType) return 3;
  if (range === `${mediaType.split("/")[0]}/*`) return 2;
  return range === "*/*" ? 1 : 0;
}

/** Whether an answer may be compressed with gzip, by the Accept-Encoding header. RFC 9110, section 12.5.3 */
export function acceptsGzip(accepted: string | undefined): boolean {
  return readRanges(accepted ?? "").some(({ type, weight }) => type === "gzip" && weight > 0);
}

/**
 * The form that a client wants most; of those that it wants alike, one that it names rather than one that it only lets
 * pass, and then the first. Undefined: it takes none of them.
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
