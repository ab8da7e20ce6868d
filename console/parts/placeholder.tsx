// What is shown where there is nothing, or nothing yet.
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

export function Empty({
  title,
  hint,
  icon: Icon,
  children,
}: {
  readonly title: string;
  readonly hint: string;
  /** Of what there would be. */
  readonly icon?: LucideIcon;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <div className="empty">
      {Icon && <Icon className="i" />}
      <p>
        <strong>{title}</strong>
      </p>
      <p>{hint}</p>
      {children}
    </div>
  );
}

/** Rows in the shape of those that are being read. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }): ReactNode {
  return (
    <output className="skeleton" aria-label="Loading">
      {Array.from({ length: rows }, (_, at) => (
        <span key={at} />
      ))}
    </output>
  );
}
