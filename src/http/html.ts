// HTML that cannot be injected into: whatever is not itself made here is escaped.

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function render(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(render).join("");
  return String(part).replace(/[&<>"']/g, (char) => ENTITIES[char] as string);
}

/** Template tag; safe in element content and in attribute values between double quotes. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, string, index) => text + render(parts[index - 1] ?? "") + string));
}

/** Text whose `backquoted` parts are code. */
export function prose(text: string): Html[] {
  return text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
