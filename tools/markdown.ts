// Generates Markdown: tables, and their insertion into pages.

/** A table in the form in which the formatter leaves it: columns of one width. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = [head, ...rows].map((cells) => cells.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_cell, column) => Math.max(3, ...escaped.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [first = [], ...rest] = escaped;
  return [line(first), line(widths.map((width) => "-".repeat(width))), ...rest.map(line)].join("\n");
}

/** Replaces the text between `<!-- generated: name -->` and `<!-- end -->`. */
export function fillMarked(page: string, text: string, name: string, content: string): string {
  const marked = new RegExp(`(<!-- generated: ${name} -->\n)[\\s\\S]*?(<!-- end -->)`);
  if (!marked.test(text)) throw new Error(`${page} has no place for ${name}`);
  return text.replace(marked, (_all, start: string, end: string) => `${start}\n${content}\n\n${end}`);
}
