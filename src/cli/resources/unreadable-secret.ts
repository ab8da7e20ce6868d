// What is said of a secret that was stored and cannot be read back.

/** Null: it is decryptable. */
export function unreadableNote(
  { name, decryptable }: Readonly<Record<string, unknown>>,
  isTooLate = false,
): string | null {
  if (decryptable !== false) return null;
  const stays = isTooLate ? "--decryptable makes no difference to a secret that is there. " : "";
  const fact = "Nobody can read it back, and environments cannot refer to it";
  return `${stays}${fact}: to have one that can be read, delete it (\`reeve secrets delete ${name as string}\`) and store it again with --decryptable.`;
}
