// Chooses the language of the page by Accept-Language. RFC 9110, section 12.5.4
import { TEXTS } from "./texts.ts";
import type { Language } from "./page-texts.ts";

const MAX_LENGTH = 256;
const DEFAULT: Language = "en";

const isKnown = (name: string): name is Language => Object.hasOwn(TEXTS, name);

/** The known language with the highest weight; of equal ones the first. */
export function chooseLanguage(accepted: string | undefined): Language {
  if (accepted === undefined) return DEFAULT;
  let best: Language = DEFAULT;
  let bestWeight = 0;
  for (const range of accepted.slice(0, MAX_LENGTH).split(",")) {
    const [tag = "", ...parameters] = range.split(";");
    const name = tag.trim().toLowerCase().split("-", 1)[0] ?? "";
    const quality = parameters.find((parameter) => parameter.trim().startsWith("q="));
    const weight = quality === undefined ? 1 : Number(quality.trim().slice(2));
    if (weight > bestWeight && isKnown(name)) [best, bestWeight] = [name, weight];
  }
  return best;
}
