// What can be chosen in a menu.
import type { LucideIcon } from "lucide-react";

export interface MenuItem {
  readonly label: string;
  readonly icon?: LucideIcon;
  /** Something is lost by it. */
  readonly isDanger?: boolean;
  /** Why it cannot be chosen; null: it can. */
  readonly whyNot?: string | null;
  readonly onSelect: () => void;
}

export type MenuEntry = MenuItem | "line";
