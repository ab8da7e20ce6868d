// Renders a page of the documentation: headings and rows that are about one `name` get an id, links lead to where the files are served.
import { Marked } from "marked";
import type { Token, Tokens } from "marked";
import { html } from "../../src/platform/kernel/text/html.ts";

/** A part of a page that the search finds. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export interface RenderedPage {
  readonly title: string;
  readonly html: string;
  readonly headings: readonly { readonly id: string; readonly title: string }[];
  readonly sections: readonly Section[];
}

/** Wide tables scroll by themselves, also with the keyboard. */
const SCROLLED = `<div class="scroll" tabindex="0">`;

const escape = (text: string) => html`${text}`.text;

/** The text of tokens, without their marks. */
function textOf(tokens: readonly Token[] = []): string {
  return tokens
    .map((token) => {
      if (token.type === "table")
        return (token as Tokens.Table).rows
          .flat()
          .map((cell) => textOf(cell.tokens))
          .join(" ");
      if (token.type === "list") return (token as Tokens.List).items.map((item) => textOf(item.tokens)).join(" ");
      if (token.type === "html" || token.type === "image") return "";
      return "tokens" in token && token.tokens ? textOf(token.tokens) : "text" in token ? String(token.text) : "";
    })
    .join("");
}

/** The id that a heading has where the files are read on the web too. */
const slugOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");

/** `last_owner`, `REEVE_PORT` and `--json` stay as they are. */
const rowId = (name: string) => name.replace(/[^\w.-]+/g, "-").replace(/-$/, "");

const codeIn = (cell: Tokens.TableCell | undefined): string | undefined => {
  const [first, ...rest] = cell?.tokens ?? [];
  return first?.type === "codespan" && rest.length === 0 ? first.text : undefined;
};

/** The column of `names`, if each row is about another one. */
function nameColumn({ header, rows }: Tokens.Table): number {
  return header.findIndex((_cell, column) => {
    const names = rows.map((row) => codeIn(row[column]));
    return !names.includes(undefined) && new Set(names).size === rows.length;
  });
}

interface Outline {
  readonly ids: ReadonlyMap<unknown, string>;
  readonly sections: readonly Section[];
}

/** The ids of headings and rows, and what is said below each. */
function outline(tokens: readonly Token[]): Outline {
  const ids = new Map<unknown, string>();
  const taken = new Map<string, number>();
  const sections: { id: string; title: string; text: string }[] = [];
  function begin(part: unknown, id: string, title: string, text = ""): void {
    const times = taken.get(id) ?? 0;
    taken.set(id, times + 1);
    ids.set(part, times === 0 ? id : `${id}-${times}`);
    sections.push({ id: ids.get(part) as string, title, text });
  }
  let below: { text: string } | undefined;
  for (const token of tokens) {
    if (token.type === "heading") {
      const title = textOf(token.tokens);
      begin(token, slugOf(title), title);
      below = sections.at(-1);
    } else if (token.type === "table") {
      const table = token as Tokens.Table;
      const column = nameColumn(table);
      for (const row of table.rows) {
        const name = codeIn(row[column]);
        const text = row
          .filter((_cell, at) => at !== column)
          .map((cell) => textOf(cell.tokens))
          .join(" ");
        if (name !== undefined) begin(row, rowId(name), name, text);
        else if (below) below.text += ` ${text}`;
      }
    } else if (below) below.text += ` ${textOf([token])}`;
  }
  return { ids, sections };
}

/** `resolve` gives the address of a link, or null where nothing is served for it. */
export function renderMarkdown(markdown: string, resolve: (href: string) => string | null): RenderedPage {
  const marked = new Marked();
  const tokens = marked.lexer(markdown);
  const { ids, sections } = outline(tokens);
  const idOf = (part: unknown) => (ids.has(part) ? ` id="${escape(ids.get(part) as string)}"` : "");
  marked.use({
    renderer: {
      heading(token) {
        const { depth } = token;
        const anchor = `<a class="anchor" href="#${ids.get(token)}" aria-label="Link to this section">#</a>`;
        return `<h${depth}${idOf(token)}>${this.parser.parseInline(token.tokens)}${depth === 1 ? "" : ` ${anchor}`}</h${depth}>`;
      },
      link({ href, tokens: content }) {
        const address = resolve(href);
        const text = this.parser.parseInline(content);
        return address === null ? text : `<a href="${escape(address)}">${text}</a>`;
      },
      image({ href, text }) {
        const address = resolve(href);
        return address === null ? "" : `<img src="${escape(address)}" alt="${escape(text)}" loading="lazy">`;
      },
      table({ header, rows }) {
        const cells = (tag: string, row: readonly Tokens.TableCell[]) =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("");
        const body = rows.map((row) => `<tr${idOf(row)}>${cells("td", row)}</tr>`).join("");
        return `${SCROLLED}<table><thead><tr>${cells("th", header)}</tr></thead><tbody>${body}</tbody></table></div>`;
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escape(text)}</code></pre>`,
      // Marks of what is generated.
      html: () => "",
    },
  });
  const headings = tokens.flatMap((token) =>
    token.type === "heading" && token.depth === 2
      ? [{ id: ids.get(token) as string, title: textOf(token.tokens) }]
      : [],
  );
  return { title: sections[0]?.title ?? "", html: marked.parser(tokens), headings, sections };
}
