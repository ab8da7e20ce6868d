// The initials of a person, a team or a program: people are round, the others square.
import type { ReactNode } from "react";

const TINTS = 6;

/** One of six tints, the same for a name everywhere. */
function tintOf(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9_973;
  return sum % TINTS;
}

/** The first letters of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words;
  return chosen
    .map((word = "") => String.fromCodePoint(word.codePointAt(0) ?? 0x20))
    .join("")
    .toUpperCase();
}

export function Avatar({ name, isSquare = false }: { readonly name: string; readonly isSquare?: boolean }): ReactNode {
  return (
    <span className={`avatar avatar-${tintOf(name)}${isSquare ? " avatar-square" : ""}`} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}
