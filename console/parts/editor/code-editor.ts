// The editor itself: CodeMirror. It is in a shadow tree, where its styles need no exception from the page's policy.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { HighlightStyle, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState } from "@codemirror/state";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";
import { EditorView, drawSelection, keymap, lineNumbers } from "@codemirror/view";

export type EditorLanguage = "json" | "plain";

export interface CodeEditor {
  /** Shows another text, unless it is the one that is shown. */
  show(text: string, isReadOnly: boolean): void;
  close(): void;
}

interface Options {
  readonly label: string;
  readonly language: EditorLanguage;
  readonly onChange: (text: string) => void;
}

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent-text)" },
  { tag: [tags.string, tags.number, tags.bool, tags.null], color: "var(--success-text)" },
]);

const LANGUAGES: Readonly<Record<EditorLanguage, () => Extension>> = {
  json: () => [json(), syntaxHighlighting(COLOURS)],
  plain: () => [],
};

const THEME = EditorView.theme({
  "&": {
    border: "1px solid var(--text-3)",
    borderRadius: "var(--radius)",
    background: "var(--bg-input)",
    color: "var(--text)",
  },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", minHeight: "18rem", maxHeight: "65vh", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { background: "var(--bg-app)", color: "var(--text-3)", borderRight: "1px solid var(--line)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "light-dark(#bcd3fb, #2a4a7f)",
  },
});

/** Opens an editor in an element. Tab goes on to the next field, as everywhere. */
export function openEditor(place: HTMLElement, { label, language, onChange }: Options): CodeEditor {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  const readOnly = new Compartment();
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        LANGUAGES[language](),
        THEME,
        readOnly.of([]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    show(next, isReadOnly) {
      const now = view.state.doc.toString();
      view.dispatch({
        ...(next === now ? {} : { changes: { from: 0, to: now.length, insert: next } }),
        effects: readOnly.reconfigure(EditorState.readOnly.of(isReadOnly)),
      });
    },
    close: () => view.destroy(),
  };
}
