// The command palette (Ctrl K, or Command K): every page of the team and of one's other teams, and what the team has, by a few letters.
import { File, Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { ReactNode, SubmitEvent } from "react";
import { Link, useRoute } from "wouter";
import { useApi } from "../api/queries.ts";
import { useTeamId, useUser } from "../api/team.ts";
import { lazy } from "../parts/lazy-page.tsx";
import { stepFocus } from "../parts/popup.tsx";
import { ROUTES } from "../routes.ts";

interface Place {
  readonly title: string;
  readonly href: string;
}

const fits = (text: string, words: readonly string[]): boolean =>
  words.every((word) => text.toLowerCase().includes(word));

/** Whether each of the words begins one of the text's. */
const begins = (text: string, words: readonly string[]): boolean =>
  words.every((word) => ` ${text.toLowerCase()}`.includes(` ${word}`));

/** Where one can go from here. */
function usePlaces(): readonly Place[] {
  const [, params] = useRoute<{ readonly team: string }>("/teams/:team/*?");
  const teams = useApi("GET /v2/teams", { query: { limit: 100 } }).data?.value.teams ?? [];
  const here = params?.team;
  const isAdmin = useUser().data?.value.user.isAdmin === true;
  const listed = ROUTES.filter(
    ({ parent, tab, isForAdministrators }) => (!parent || tab) && (isAdmin || !isForAdministrators),
  );
  const pagesOf = (team: string): Place[] =>
    listed
      .filter(({ isTeamPage }) => isTeamPage)
      .map(({ title, path }) => ({ title: `${title} of ${team}`, href: path.replace(":team", team) }));
  return [
    ...(here === undefined ? [] : pagesOf(here)),
    ...listed.filter(({ isTeamPage }) => !isTeamPage).map(({ title, path }) => ({ title, href: path })),
    ...teams.filter(({ id, slug }) => slug !== here && id !== here).flatMap(({ slug }) => pagesOf(slug)),
  ];
}

const MOST = 12;
/** Without letters, and above what they find. */
const MOST_BESIDE = 5;
const LEAST_LETTERS = 2;
/** What is asked for while somebody types would only keep the server busy. */
const PAUSE_MS = 150;

const Things = lazy(async () => (await import("./things.tsx")).Things, <p className="hint">Searching…</p>);

/** The text once nobody has typed for a moment. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

/** Acts on keys, in place of what the browser does with them. */
function useKeys(acts: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const act = acts[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  });
}

function Choice({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [text, setText] = useState("");
  const form = useRef<HTMLFormElement>(null);
  const teamId = useTeamId();
  const places = usePlaces();
  const areActionsAlone = text.startsWith(">");
  const asked = usePaused(text.replace(/^>/, "").trim());
  const findsThings = teamId !== "" && asked.length >= LEAST_LETTERS;
  const words = text.toLowerCase().split(/\s+/);
  const fitting = areActionsAlone ? [] : places.filter(({ title }) => fits(title, words));
  // What begins so comes first.
  const found = [true, false]
    .flatMap((isBegun) => fitting.filter(({ title }) => begins(title, words) === isBegun))
    .slice(0, findsThings ? MOST_BESIDE : MOST);
  useEffect(() => Things.preload(), []);
  const step = (by: 1 | -1) => (): void => {
    if (form.current) stepFocus(form.current, by);
  };
  useKeys({ ArrowDown: step(1), ArrowUp: step(-1) });
  // As a click, so that a page with something typed on it can ask first.
  const goToFirst = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    event.currentTarget.querySelector("a")?.click();
  };
  return (
    <form ref={form} onSubmit={goToFirst}>
      <div className="palette-head">
        <Search className="i" />
        <input
          type="text"
          aria-label="Search pages, things and actions"
          placeholder="Search pages, things and actions"
          value={text}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
        <kbd aria-hidden="true">Esc</kbd>
      </div>
      <div className="results">
        {found.length > 0 && (
          <section aria-label="Pages">
            {findsThings && <h3>Pages</h3>}
            <ul>
              {found.map((place) => (
                <li key={place.href}>
                  <Link href={place.href} onClick={onClose}>
                    <File className="i" />
                    <span className="grow">{place.title}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        )}
        {findsThings && <Things asked={asked} areActionsAlone={areActionsAlone} onGo={onClose} />}
      </div>
      {found.length === 0 && !findsThings && <p className="quiet">No page fits</p>}
      <p className="keys" aria-hidden="true">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> choose
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        <span>
          <kbd>&gt;</kbd> actions only
        </span>
      </p>
    </form>
  );
}

/** For those who do not know the keys. */
export function PaletteButton({ onOpen }: { readonly onOpen: () => void }): ReactNode {
  return (
    <button type="button" className="jump" aria-keyshortcuts="Control+K Meta+K" onClick={onOpen}>
      <Search className="i" />
      Search <kbd aria-hidden="true">Ctrl K</kbd>
    </button>
  );
}

interface Props {
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
}

export function Palette({ isOpen, setOpen }: Props): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      // Not above another dialog, whose work would be lost.
      if (document.querySelector("dialog[open]") === null) setOpen(true);
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [setOpen]);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  return (
    isOpen && (
      <dialog ref={dialog} className="palette" aria-label="Search" onClose={() => setOpen(false)}>
        <Choice onClose={() => dialog.current?.close()} />
      </dialog>
    )
  );
}
