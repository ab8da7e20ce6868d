// An editor for long texts. Its code is loaded when a page shows it; until then, and where it fails to load, it is a plain field.
import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import type { ReactNode } from "react";
import { markWords } from "../env-text.ts";
import type { LineMark } from "../env-text.ts";
import type { CodeEditor, EditorLanguage } from "./code-editor.ts";

interface Props {
  readonly label: string;
  readonly hint?: string;
  readonly problem?: string | null;
  /** Shown where the lines are, of which the first is told below, too. */
  readonly marks?: readonly LineMark[];
  readonly language: EditorLanguage;
  readonly value: string;
  readonly readOnly?: boolean;
  readonly onChange: (value: string) => void;
}

const NO_MARKS: readonly LineMark[] = [];

export function TextEditor({
  label,
  hint,
  marks = NO_MARKS,
  problem = marks[0] ? markWords(marks[0]) : null,
  language,
  value,
  readOnly = false,
  onChange,
}: Props): ReactNode {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<CodeEditor | null>(null);
  const change = useEffectEvent(onChange);
  useEffect(() => {
    let isGone = false;
    let opened: CodeEditor | null = null;
    void import("./code-editor.ts").then(
      ({ openEditor }) => {
        if (isGone || !place.current) return;
        opened = openEditor(place.current, { label, language, onChange: (text) => change(text) });
        setEditor(opened);
      },
      // The plain field stays.
      () => undefined,
    );
    return () => {
      isGone = true;
      opened?.close();
      setEditor(null);
    };
  }, [label, language]);
  useEffect(() => editor?.show(value, readOnly, marks), [editor, value, readOnly, marks]);
  const isLoaded = editor !== null;
  return (
    <div className="field">
      {isLoaded ? <span className="label">{label}</span> : <label htmlFor={id}>{label}</label>}
      <div ref={place} className="editor" hidden={!isLoaded} />
      {!isLoaded && (
        <textarea
          id={id}
          className="code"
          rows={15}
          spellCheck={false}
          value={value}
          readOnly={readOnly}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
      {hint && <p className="hint">{hint}</p>}
      {problem !== null && (
        <p className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
