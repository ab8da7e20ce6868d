// A button, and why it cannot be pressed.
import type { ButtonHTMLAttributes, ReactNode } from "react";

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "disabled"> {
  readonly kind?: "main" | "plain" | "ghost" | "link" | "danger";
  /** Why it cannot be pressed; null: it can. A button that is only busy needs no reason. */
  readonly disabledBecause?: string | null;
  readonly busy?: boolean;
}

/**
 * `aria-disabled` keeps it reachable by keyboard, so that everybody can read the reason. It stays what submits the form: Enter in a
 * field presses it, and so does nothing while it is off.
 */
export function Button({
  kind = "main",
  disabledBecause = null,
  busy = false,
  onClick,
  children,
  type = "button",
  ...rest
}: Props): ReactNode {
  const isOff = disabledBecause !== null || busy;
  return (
    <button
      {...rest}
      type={type}
      className={kind}
      aria-disabled={isOff || undefined}
      aria-busy={busy || undefined}
      aria-description={disabledBecause ?? undefined}
      onClick={isOff ? (event) => event.preventDefault() : onClick}
    >
      {children}
    </button>
  );
}
