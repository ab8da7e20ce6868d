// Several values as a text: one on each line, and the last line is what is being typed.

export function partsOf(text: string) {
  const lines = text.split("\n");
  const typed = lines.pop() ?? "";
  return { values: lines.filter((line) => line !== ""), typed };
}

/** The text in which all values are chips. */
export const asChips = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
