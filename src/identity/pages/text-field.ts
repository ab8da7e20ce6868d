// A field of a form, with its label, and with what is wrong with it beside it.
import { ICONS } from "../../platform/http/card-page.ts";
import { html } from "../../platform/kernel/text/html.ts";
import type { Content, Html } from "../../platform/kernel/text/html.ts";

/** What was wrong with the last try. */
export interface Problem {
  /** Names the field. */
  readonly text: string;
  /** For beside the field. */
  readonly besideText?: string;
  /** The name of the field that it is about. */
  readonly field?: string | null;
}

/** A page shows one problem. */
export const PROBLEM_ID = "problem";

export interface TextField {
  readonly name: string;
  /** By default the name. */
  readonly id?: string;
  readonly label: string;
  readonly value?: string;
  /** What else the input has. */
  readonly attributes: Html;
  /** What to put into it. */
  readonly hint?: Content;
  /** A link beside the label; Tab leads to the field first. */
  readonly aside?: Html;
  /** Whether the page begins here. What is wrong gets the focus before it. */
  readonly isFirst?: boolean;
}

export function textField(
  problem: Problem | null,
  { name, id = name, label, value, attributes, hint, aside, isFirst = false }: TextField,
): Html {
  const isWrong = problem?.field === name;
  const described = [...(hint === undefined ? [] : [`${id}-hint`]), ...(isWrong ? [PROBLEM_ID] : [])].join(" ");
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${name}"
      ${value === undefined ? html`` : html`value="${value}"`}
      ${attributes}
      ${described === "" ? html`` : html`aria-describedby="${described}"`}
      ${isWrong ? html`aria-invalid="true" autofocus` : html``}
      ${isFirst && !problem ? html`autofocus` : html``}
    />
    ${aside ?? html``}
    ${isWrong ? html`<p class="problem" id="${PROBLEM_ID}">${ICONS.alert}${problem.besideText ?? problem.text}</p>` : html``}
    ${hint === undefined ? html`` : html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`;
}

/** The attributes of a field for the name that somebody signs in with. */
export const LOGIN = html`autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="256" required`;

export const EMAIL = html`type="email" autocomplete="email" maxlength="256" required`;
