// Light or dark: the system's choice unless another one was made in this browser.

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "reeve-theme";

export function readTheme(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? "system";
  } catch {
    // A browser that stores nothing.
    return "system";
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

export function shownTheme(): Theme {
  return THEMES.find((theme) => theme === document.documentElement.dataset["theme"]) ?? "system";
}

const listeners = new Set<() => void>();

/** Calls `listener` after each choice, until the returned function is called. */
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  for (const tell of listeners) tell();
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // It holds until the page is loaded again.
  }
}
