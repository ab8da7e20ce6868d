// What the server writes after a name and a colon, as a sentence of its own.
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
