// Light, dark, or what the system has: a choice of this browser.
import { Monitor, Moon, Sun } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { useSyncExternalStore } from "react";
import type { ReactNode } from "react";
import { THEMES, chooseTheme, onTheme, shownTheme } from "../theme.ts";
import type { Theme } from "../theme.ts";

const ICONS: Readonly<Record<Theme, LucideIcon>> = { system: Monitor, light: Sun, dark: Moon };
const NAMES: Readonly<Record<Theme, string>> = { system: "System", light: "Light", dark: "Dark" };

export function ThemeChoice({ isShort = false }: { readonly isShort?: boolean }): ReactNode {
  const chosen = useSyncExternalStore(onTheme, shownTheme);
  return (
    <fieldset className="segment" aria-label="Theme">
      {THEMES.map((theme) => {
        const Icon = ICONS[theme];
        return (
          <button
            key={theme}
            type="button"
            aria-pressed={theme === chosen}
            aria-label={NAMES[theme]}
            onClick={() => chooseTheme(theme)}
          >
            <Icon className="i i-s" />
            {!isShort && NAMES[theme]}
          </button>
        );
      })}
    </fieldset>
  );
}
