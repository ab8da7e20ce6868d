// Tables of the documentation whose rows a test records: `<!-- recorded: NAME -->` begins one, `<!-- end -->` ends it. With
// REEVE_TEST_WRITE=1 the test writes the table instead of holding it against what it has recorded.
import { readFileSync, writeFileSync } from "node:fs";

export const isWriting = process.env["REEVE_TEST_WRITE"] === "1";

const fileOf = (page: string) => new URL(`../../docs/${page}`, import.meta.url);
const patternOf = (name: string) => new RegExp(`(?<=<!-- recorded: ${name} -->\\n)[^]*?(?=<!-- end -->)`);

/** The cells of the rows, without those of the header. */
export function readTable(page: string, name: string): readonly (readonly string[])[] {
  const [text] = patternOf(name).exec(readFileSync(fileOf(page), "utf8")) ?? [];
  if (text === undefined) throw new Error(`docs/${page} has no <!-- recorded: ${name} -->`);
  const lines = text.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

export function writeTable(page: string, name: string, rows: readonly (readonly string[])[]): void {
  const text = readFileSync(fileOf(page), "utf8");
  const [header = ""] = /^\|.*\n\|.*\n/m.exec(patternOf(name).exec(text)?.[0] ?? "") ?? [];
  const lines = rows.map((row) => `| ${row.join(" | ")} |\n`);
  writeFileSync(
    fileOf(page),
    text.replace(patternOf(name), () => `\n${header}${lines.join("")}\n`),
  );
}
