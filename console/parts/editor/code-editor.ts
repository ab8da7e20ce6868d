// The editor itself: CodeMirror. It is in a shadow tree, where its styles need no exception from the page's policy.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { HighlightStyle, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";
import { Decoration, EditorView, drawSelection, keymap, lineNumbers } from "@codemirror/view";
import type { DecorationSet } from "@codemirror/view";
import type { LineMark } from "../env-text.ts";

export type EditorLanguage = "json" | "plain";

export interface CodeEditor {
  /** Shows another text, unless it is the one that is shown, and what is wrong with its lines. */
  show(text: string, isReadOnly: boolean, marks: readonly LineMark[]): void;
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
  ".cm-wrong": { background: "var(--danger-tint)" },
  ".cm-wrong::after": { content: "attr(data-reason)", display: "block", color: "var(--danger-text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "light-dark(#bcd3fb, #2a4a7f)",
  },
});

const setMarks = StateEffect.define<readonly LineMark[]>();

/** Below a line, what is wrong with it: by its style, because whatever fills in a text would take an element there for a part of it. */
function decorationsOf({ doc }: EditorState, marks: readonly LineMark[]): DecorationSet {
  const known = marks.filter(({ line }) => line <= doc.lines);
  const ranges = known.map(({ line, text }) =>
    Decoration.line({ class: "cm-wrong", attributes: { "data-reason": text } }).range(doc.line(line).from),
  );
  return Decoration.set(ranges, true);
}

const MARKS = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, { changes, effects, state }) {
    const marks = effects.find((effect) => effect.is(setMarks));
    return marks ? decorationsOf(state, marks.value) : shown.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
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
        MARKS,
        readOnly.of([]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    show(next, isReadOnly, marks) {
      const now = view.state.doc.toString();
      view.dispatch({
        ...(next === now ? {} : { changes: { from: 0, to: now.length, insert: next } }),
        effects: [readOnly.reconfigure(EditorState.readOnly.of(isReadOnly)), setMarks.of(marks)],
      });
    },
    close: () => view.destroy(),
  };
}
