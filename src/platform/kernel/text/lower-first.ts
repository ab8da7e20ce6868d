/** A text as it stands within a sentence: its first letter is small. */
export const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
