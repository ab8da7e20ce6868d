// What the pages of the documentation do with script: search, copy a block, and follow an old address of an error or operation.
import MiniSearch from "minisearch";
import type { SearchResult } from "minisearch";

interface Index {
  readonly pages: readonly (readonly [name: string, title: string])[];
  readonly sections: readonly (readonly [page: number, id: string, title: string, text: string])[];
}

interface Found {
  readonly search: MiniSearch;
  readonly index: Index;
}

const MOST = 12;
const AROUND = 70;

let loading: Promise<Found> | undefined;

async function load(): Promise<Found> {
  const response = await fetch("search.json");
  if (!response.ok) throw new Error(`search.json: ${response.status}`);
  const index = (await response.json()) as Index;
  const search = new MiniSearch({
    fields: ["title", "text", "page"],
    // `REEVE_DISK_RESERVE` and `last_owner` are words, and so are their parts.
    tokenize: (text) =>
      text.split(/[^\p{L}\p{N}_-]+/u).flatMap((word) => [word, ...(/[_-]/.test(word) ? word.split(/[_-]+/) : [])]),
    searchOptions: {
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      boost: { title: 4, page: 2 },
      combineWith: "AND",
    },
  });
  await search.addAllAsync(
    index.sections.map(([page, , title, text], id) => ({ id, title, text, page: index.pages[page]?.[1] ?? "" })),
    { chunkSize: 200 },
  );
  return { search, index };
}

const find = (): Promise<Found> =>
  (loading ??= load().catch((error: unknown) => {
    // The next key tries again.
    loading = undefined;
    throw error;
  }));

function addressOf({ pages, sections }: Index, at: number): string {
  const [page, id] = sections[at] ?? [0, ""];
  return `${pages[page]?.[0] || "./"}${id === "" ? "" : `#${id}`}`;
}

function element(tag: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

/** The text around the first word that was found, with it marked. */
function excerpt(text: string, { terms }: SearchResult): HTMLElement {
  const shown = element("span", "excerpt");
  const at = Math.max(0, ...terms.slice(0, 1).map((term) => text.toLowerCase().indexOf(term)));
  const from = Math.max(0, at - AROUND);
  const piece = `${from > 0 ? "…" : ""}${text.slice(from, at + 2 * AROUND)}`;
  // Letters, digits, `_` and `-`, of which none has a meaning here.
  const marked = new RegExp(`(${terms.toSorted((one, other) => other.length - one.length).join("|")})`, "giu");
  piece.split(marked).forEach((part, index) => shown.append(index % 2 === 1 ? element("mark", "", part) : part));
  return shown;
}

function addSearch(form: HTMLFormElement): void {
  const input = form.querySelector("input") as HTMLInputElement;
  const list = form.querySelector("#results") as HTMLElement;
  let chosen = -1;

  const options = () => [...list.querySelectorAll<HTMLAnchorElement>("a")];
  function show(isShown: boolean): void {
    list.hidden = !isShown;
    input.setAttribute("aria-expanded", String(isShown));
    if (!isShown) choose(-1);
  }
  function choose(at: number): void {
    chosen = at;
    options().forEach((option, index) => option.setAttribute("aria-selected", String(index === at)));
    const option = options()[at];
    option?.scrollIntoView({ block: "nearest" });
    if (option) input.setAttribute("aria-activedescendant", option.id);
    else input.removeAttribute("aria-activedescendant");
  }
  function makeOption({ index }: Found, result: SearchResult, at: number): HTMLElement {
    const [page = 0, , title = "", text = ""] = index.sections[result.id as number] ?? [];
    const pageTitle = index.pages[page]?.[1] ?? "";
    const link = element("a", "result") as HTMLAnchorElement;
    link.href = addressOf(index, result.id as number);
    link.id = `result-${at}`;
    link.setAttribute("role", "option");
    link.append(
      element("b", "", title),
      element("span", "where", title === pageTitle ? "" : pageTitle),
      excerpt(text, result),
    );
    return link;
  }
  async function run(): Promise<void> {
    const asked = input.value.trim();
    if (asked === "") {
      show(false);
      return;
    }
    const said = await find().then(
      (found) => {
        const results = found.search.search(asked).slice(0, MOST);
        if (results.length > 0) return results.map((result, at) => makeOption(found, result, at));
        return [element("p", "none", `Nothing is about “${asked}”.`)];
      },
      () => [element("p", "none", "The search could not be loaded. Try again.")],
    );
    // An answer to what was typed before is late.
    if (asked !== input.value.trim()) return;
    list.replaceChildren(...said);
    show(true);
    choose(options().length > 0 ? 0 : -1);
  }

  form.hidden = false;
  input.addEventListener("focus", () => void find().catch(() => undefined), { once: true });
  input.addEventListener("input", () => void run());
  input.addEventListener("keydown", (event) => {
    const { length } = options();
    if (event.key === "Escape") {
      input.value = "";
      show(false);
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && length > 0) {
      event.preventDefault();
      choose((chosen + (event.key === "ArrowDown" ? 1 : length - 1)) % length);
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    options()[Math.max(chosen, 0)]?.click();
  });
  list.addEventListener("click", () => show(false));
  document.addEventListener("pointerdown", ({ target }) => {
    if (!form.contains(target as Node)) show(false);
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = (event.target as HTMLElement).closest("input, textarea") !== null;
    const isWanted = event.key === "/" || (event.key === "k" && (event.ctrlKey || event.metaKey));
    if (!isWanted || isTyping) return;
    event.preventDefault();
    input.focus();
  });
}

function addCopy(block: HTMLElement): void {
  const button = element("button", "copy", "Copy");
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(block.querySelector("code")?.textContent ?? "");
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2_000);
  }
  button.addEventListener("click", () => void copy());
  // Beside what scrolls.
  const frame = element("div", "block");
  block.replaceWith(frame);
  frame.append(block, button);
}

/** Until 0.10.0, errors led to `/docs#error-CODE`, and operations were at `/docs#ID`. */
async function followOldAddress(): Promise<void> {
  const fragment = location.hash.slice(1);
  if (fragment === "" || document.getElementById(fragment)) return;
  const wanted = fragment.replace(/^error-/, "");
  const { index } = await find();
  const at = index.sections.findIndex(
    ([page, id]) => id === wanted && (fragment === wanted || index.pages[page]?.[0] === "errors"),
  );
  if (at >= 0) location.replace(addressOf(index, at));
}

const form = document.querySelector<HTMLFormElement>("form[role=search]");
if (form) addSearch(form);
// Where the browser gives no clipboard, such as over plain HTTP, there is nothing to press.
if ("clipboard" in navigator) document.querySelectorAll<HTMLElement>("main pre").forEach(addCopy);
if (location.pathname.endsWith("/docs/")) void followOldAddress().catch(() => undefined);
