// Builds the documentation that a server shows at /docs/: the pages of docs/, the reference of the API, and an index for the search.
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { operationsOf, resolverOf } from "../../console/pages/api/operations.ts";
import type { ApiDocument, Operation } from "../../console/pages/api/operations.ts";
import { examplesIn, literal } from "../../console/pages/api/snippets.ts";
import { loadResource } from "../../src/cli/resources/load-resource.ts";
import { RESOURCES, operationsOf as operationsOfRow } from "../../src/cli/resources/resources.ts";
import type { AnyCommand } from "../../src/cli/command.ts";
import { prose } from "../../src/platform/http/page-frame.ts";
import { VERSION } from "../../src/platform/kernel/version.ts";
import { Html, html } from "../../src/platform/kernel/text/html.ts";
import { NOTICES, renderNotices } from "../notices.ts";
import { API, framePage } from "./frame.ts";
import type { SitePage } from "./frame.ts";
import { operationSection } from "./operation-section.ts";
import type { ReferenceWords } from "./operation-section.ts";
import { renderMarkdown } from "./render-markdown.ts";
import type { Section } from "./render-markdown.ts";
import { PAGES, ROOT, nameOfText, read, readNavigation, resolveLink, textFiles } from "./source-pages.ts";
import type { NavigationGroup } from "./source-pages.ts";

/** The best takes ten times as long, and saves a tenth. */
const QUALITY = { [constants.BROTLI_PARAM_QUALITY]: 9 };

interface FoundPage extends SitePage {
  readonly sections: readonly Section[];
}

/** The page of a subject of the API. */
interface TagPage extends FoundPage {
  readonly tag: string;
}

function writtenPages(): FoundPage[] {
  return [...PAGES].map(([file, name]) => {
    const { title, html: text, headings, sections } = renderMarkdown(read(file), (href) => resolveLink(file, href));
    // A list of changes has a heading for each of them.
    return { name, title, content: new Html(text), headings: name === "changelog" ? [] : headings, sections };
  });
}

function textPages(): FoundPage[] {
  return [...textFiles].map((file) => {
    const content = html`<h1>${file}</h1>
      <pre tabindex="0"><code>${read(file)}</code></pre>`;
    return {
      name: nameOfText(file),
      title: file,
      content,
      headings: [],
      sections: [{ id: "", title: file, text: "" }],
    };
  });
}

const referenceName = (tag: string) => `reference-${tag.toLowerCase().replaceAll(" ", "-")}`;

/** The first example of the command of each operation. */
async function readCommands(): Promise<Map<string, string>> {
  const commands = new Map<string, string>();
  const find = (below: readonly AnyCommand[], [word, ...rest]: readonly string[]): AnyCommand | undefined => {
    const found = below.find(({ name }) => name === word);
    return rest.length === 0 ? found : find(found && "commands" in found ? (found.commands ?? []) : [], rest);
  };
  for (const resource of RESOURCES) {
    const { commands: loaded } = await loadResource(resource);
    for (const [words, row] of Object.entries(resource.commands)) {
      const command = find(loaded, words.split(" "));
      const example = command && "examples" in command ? command.examples[0] : undefined;
      const [operation] = operationsOfRow(row);
      if (example !== undefined && operation !== undefined && !commands.has(operation))
        commands.set(operation, example);
    }
  }
  return commands;
}

function referencePages(document: ApiDocument, operations: readonly Operation[], words: ReferenceWords): TagPage[] {
  const tags = document.tags.filter(({ name }) => operations.some(({ tag }) => tag === name));
  return tags.map(({ name: tag, description }) => {
    const own = operations.filter((operation) => operation.tag === tag);
    const content = html`<h1>${tag}</h1>
      <p>${prose(description)}</p>
      ${own.map((operation) => operationSection(operation, words))}`;
    return {
      tag,
      name: referenceName(tag),
      title: `${tag} (API)`,
      content,
      headings: own.map(({ id, summary }) => ({ id, title: summary.replaceAll("`", "") })),
      sections: own.map(({ id, summary, method, path, description: said }) => ({
        id,
        title: summary.replaceAll("`", ""),
        text: `${method} ${path} ${id} ${said.join(" ")}`,
      })),
    };
  });
}

function overview(pages: readonly TagPage[], operations: readonly Operation[]): FoundPage {
  const types = [...new Set(operations.flatMap(({ events }) => events))].toSorted();
  const link = ({ tag, id, summary }: Operation) => html`<a href="${referenceName(tag)}#${id}">${prose(summary)}</a> `;
  const content = html`<h1>API reference</h1>
    <p>
      Every operation, by its subject. <a href="api">Forms of the API</a> says what requests and responses share,
      <a href="errors">Error codes</a> what to do about an error, and <a href="../openapi.json">openapi.json</a> is the
      same for programs. The <a href="../console/api">console</a> sends calls.
    </p>
    ${pages.map(
      ({ name, tag, headings }) =>
        html`<h2 id="${name}"><a href="${name}">${tag}</a></h2>
          <ul class="plain">
            ${headings.map((one) => html`<li><a href="${name}#${one.id}">${one.title}</a></li>`)}
          </ul>`,
    )}
    <h2 id="events">Types of events</h2>
    <div class="scroll" tabindex="0">
      <table>
        <thead>
          <tr>
            <th>Type</th>
            <th>Written by</th>
          </tr>
        </thead>
        <tbody>
          ${types.map(
            (type) =>
              html`<tr id="event-${type}">
                <td><code>${type}</code></td>
                <td class="list">${operations.filter(({ events }) => events.includes(type)).map(link)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  const sections = types.map((type) => ({ id: `event-${type}`, title: type, text: `event type ${type}` }));
  return { name: "reference", title: "API reference", content, headings: [], sections };
}

/** What the search reads: pages, and their sections as `[page, id, title, text]`. */
function searchIndex(pages: readonly FoundPage[]): string {
  return JSON.stringify({
    pages: pages.map(({ name, title }) => [name, title]),
    sections: pages.flatMap(({ sections }, page) =>
      sections.map(({ id, title, text }) => [page, id, title, text.replace(/\s+/g, " ").trim()]),
    ),
  });
}

/** The client's call, where it has one: the console's own session calls no operation by its name. */
function clientSamples(operations: readonly Operation[]): ReadonlyMap<string, string> {
  return new Map(
    operations
      .filter(({ access }) => access !== null && access !== "session")
      .map((operation) => {
        const { id, body } = operation;
        const members = {
          params: Object.fromEntries(examplesIn(operation, "path")),
          query: Object.fromEntries(examplesIn(operation, "query")),
          body: body?.example,
        };
        const input = Object.fromEntries(
          Object.entries(members).filter(([, value]) => value !== undefined && Object.keys(value as object).length > 0),
        );
        const rest = Object.keys(input).length === 0 ? "" : `, ${literal(input)}`;
        return [id, `await client.call("${id}"${rest});`];
      }),
  );
}

export async function buildDocumentation(output: string): Promise<void> {
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const document = JSON.parse(read("openapi.json")) as ApiDocument;
  const operations = operationsOf(document).filter(({ path }) => !path.startsWith("/docs"));
  const words = { resolve: resolverOf(document), commands: await readCommands(), clients: clientSamples(operations) };
  const parts = referencePages(document, operations, words);
  const written = writtenPages();
  const pages = [...written, overview(parts, operations), ...parts, ...textPages()];
  const groups: NavigationGroup[] = [
    ...readNavigation(),
    {
      title: API,
      pages: [{ name: "reference", title: "All operations" }, ...parts.map(({ name, tag }) => ({ name, title: tag }))],
    },
  ];
  for (const page of pages)
    writeFileSync(join(output, `${page.name || "index"}.html`), framePage(page, groups, VERSION));
  writeFileSync(join(output, "search.json"), searchIndex(pages));
  for (const file of globSync("docs/pictures/*.png", { cwd: ROOT })) {
    copyFileSync(join(ROOT, file), join(output, basename(file)));
  }
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["console/docs/docs.ts", "console/docs/docs.css"],
    outdir: output,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2023",
    loader: { ".woff2": "file" },
    assetNames: "[name]",
    logLevel: "warning",
    metafile: true,
  });
  writeFileSync(join(output, NOTICES), renderNotices(metafile));
  for (const file of ["inter", "jetbrains-mono"].map((font) => `LICENSE-${font}.txt`)) {
    copyFileSync(join(ROOT, "console/public", file), join(output, file));
  }
  for (const file of globSync(join(output, "*.{html,js,css,json}"))) {
    writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file), { params: QUALITY }));
    rmSync(file);
  }
}
