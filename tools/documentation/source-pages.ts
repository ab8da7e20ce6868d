// The pages of the documentation, by the files that they are made of. docs/README.md is the home page, and its lists are the navigation.
import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

const MORE: Readonly<Record<string, string>> = {
  "README.md": "readme",
  "SECURITY.md": "security",
  "SUPPORTED.md": "supported",
  "CHANGELOG.md": "changelog",
};
/** Of the repository, for those who install Reeve without it. */
const SHOWN_AS_TEXT = /^deploy\/.*[^/]$/;

/** Names of pages by their files. */
export const PAGES: ReadonlyMap<string, string> = new Map([
  ...globSync("docs/*.md", { cwd: ROOT })
    .toSorted()
    .map((file) => [file, file === "docs/README.md" ? "" : posix.basename(file, ".md")] as const),
  ...Object.entries(MORE),
]);
export const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** Files that pages lead to, which are shown as they are. */
export const textFiles = new Set<string>();
export const nameOfText = (file: string) => file.replaceAll("/", "-");

/** What a link of a file leads to among the pages; null: to nothing that is served. */
export function resolveLink(file: string, href: string): string | null {
  if (/^(?:https?:|#|mailto:)/.test(href)) return href;
  const [path = "", fragment] = href.split("#");
  const target = posix.join(posix.dirname(file), path);
  const end = fragment === undefined ? "" : `#${fragment}`;
  if (target === "openapi.json") return "../openapi.json";
  if (/^docs\/pictures\/.*png$/.test(target)) return posix.basename(target);
  const name = PAGES.get(target);
  if (name !== undefined) return `${name || "./"}${end}`;
  if (!SHOWN_AS_TEXT.test(target)) return null;
  textFiles.add(target);
  return nameOfText(target);
}

export interface NavigationGroup {
  readonly title: string;
  readonly pages: readonly { readonly name: string; readonly title: string }[];
}

/** From the lists of the home page: each page once, where it is named first. */
export function readNavigation(): NavigationGroup[] {
  const seen = new Set<string>([""]);
  return read("docs/README.md")
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.split("\n", 1)[0] as string,
      pages: [...section.matchAll(/^- \[([^\]]+)\]\(([^)#]+)[^)]*\)/gm)].flatMap(([, title = "", href = ""]) => {
        const name = PAGES.get(posix.join("docs", href));
        if (name === undefined || seen.has(name)) return [];
        seen.add(name);
        return [{ name, title }];
      }),
    }));
}
