// A table that becomes a list of cards on narrow screens.
import type { CSSProperties, ReactNode } from "react";

/** The names of the columns as the style takes them, for the cards. */
function labelsOf(columns: readonly string[]): CSSProperties {
  return Object.fromEntries(columns.map((column, at) => [`--column-${at + 1}`, JSON.stringify(`${column}: `)]));
}

/** `actions` names a last column of buttons to screen readers alone. */
export function Table({
  columns,
  actions,
  children,
}: {
  readonly columns: readonly string[];
  readonly actions?: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <table style={labelsOf(columns)}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
          {actions !== undefined && (
            <th scope="col">
              <span className="hidden">{actions}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
