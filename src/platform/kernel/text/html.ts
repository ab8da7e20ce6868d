// HTML that is safe against injection: everything but Html objects is escaped.

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Content = string | number | Html | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function render(content: Content): string {
  if (content instanceof Html) return content.text;
  if (typeof content === "object") return content.map(render).join("");
  return String(content).replace(/[&<>"']/g, (char) => ENTITIES[char] as string);
}

/** Template tag; safe in element content and in attribute values between double quotes. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(strings.reduce((text, string, index) => text + render(values[index - 1] ?? "") + string));
}
