// Reads forms, and says which field a refusal is about.
import type { SubmitEvent } from "react";
import { isRefusal } from "../api/call.ts";

export const NOTHING_CHANGED = "Nothing is changed yet";

/** The text of a field, without spaces around it; `exact` keeps them. */
export type Fields = (name: string, exact?: "exact") => string;

export function fieldsOf(form: HTMLFormElement): Fields {
  const data = new FormData(form);
  return (name, exact) => {
    const value = data.get(name);
    const text = typeof value === "string" ? value : "";
    return exact ? text : text.trim();
  };
}

/** Handles a submit with the form's fields. */
export function onSubmit(act: (fields: Fields) => void): (event: SubmitEvent<HTMLFormElement>) => void {
  return (event) => {
    event.preventDefault();
    act(fieldsOf(event.currentTarget));
  };
}

/** Those of the texts that were typed anew: what others stored in the rest meanwhile stays. */
export function changedOf<T extends Readonly<Record<string, string>>>(typed: T, shown: T): Partial<T> {
  return Object.fromEntries(Object.entries(typed).filter(([name, text]) => shown[name] !== text)) as Partial<T>;
}

/** What is wrong with a field, or with one of several values in it; null where the refusal is about something else. */
export function problemWith(error: Error | null, field: string): string | null {
  if (!isRefusal(error)) return null;
  const { message } = error;
  if (error.field === field || message.startsWith(`${field}: `)) return message.replace(`${field}: `, "");
  return message.startsWith(`${field}[`) ? message : null;
}

/** The refusal, unless one of the form's fields shows it. */
export function otherProblem(error: Error | null, fields: readonly string[]): Error | null {
  return error && fields.every((field) => problemWith(error, field) === null) ? error : null;
}
