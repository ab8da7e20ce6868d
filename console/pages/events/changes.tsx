// What an event changed: each field before and after.
import type { ReactNode } from "react";
import { Table } from "../../parts/table.tsx";
import type { Event } from "../../api/objects.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The fields that differ, with their values as text; empty: absent. */
export function findChanges(
  previous: Fields,
  next: Fields,
): (readonly [name: string, before: string, after: string])[] {
  const show = (value: unknown): string => (value === undefined ? "" : JSON.stringify(value));
  const names = [...new Set([...Object.keys(previous), ...Object.keys(next)])];
  return names
    .map((name) => [name, show(previous[name]), show(next[name])] as const)
    .filter(([, before, after]) => before !== after);
}

export function Changes({ event }: { readonly event: Event }): ReactNode {
  const changes = findChanges(event.previous ?? {}, event.next ?? {});
  if (changes.length === 0) {
    return event.payload === undefined ? null : <pre className="value">{JSON.stringify(event.payload, null, 2)}</pre>;
  }
  return (
    <Table columns={["Field", "Before", "After"]}>
      {changes.map(([name, before, after]) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td>
            <del>{before}</del>
          </td>
          <td>
            <ins>{after}</ins>
          </td>
        </tr>
      ))}
    </Table>
  );
}
