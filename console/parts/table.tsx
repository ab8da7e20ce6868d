// Tables: sorted by their heads, rows selected, their actions in a menu, and columns leave where there is no room for them.
import { ArrowDown, ArrowUp, X } from "lucide-react";
import { Fragment, useState } from "react";
import type { ReactNode } from "react";
import { ListProblem, ShowMore } from "./api-list.tsx";
import type { ListState } from "./api-list.tsx";
import { Menu } from "./menu.tsx";
import type { MenuEntry } from "./menu-entries.ts";

export interface Column<R> {
  readonly title: string;
  readonly cell: (row: R) => ReactNode;
  /** What the list is sorted by with this head; absent: it cannot be. */
  readonly sort?: string;
  readonly isNumber?: boolean;
  /** Its cell heads the row; by default the first one does. */
  readonly isName?: boolean;
  /** Where there is no room for it: beside a panel and on tablets, or only on phones. */
  readonly leaves?: "narrow" | "phone";
}

export interface Sort {
  readonly by: string;
  readonly isDown: boolean;
  readonly onSort: (by: string, isDown: boolean) => void;
}

interface Props<R> {
  readonly label: string;
  /** What the rows are read from; absent: they are all there. */
  readonly list?: ListState;
  readonly rows: readonly R[];
  readonly keyOf: (row: R) => string;
  /** What screen readers hear of a row's checkbox and menu. */
  readonly nameOf?: (row: R) => string;
  readonly columns: readonly Column<R>[];
  readonly actions?: (row: R) => readonly MenuEntry[];
  readonly sort?: Sort;
  /** The key of the row whose details are shown. */
  readonly current?: string | undefined;
  /** In a row of its own, below that of an opened one. */
  readonly below?: (row: R) => ReactNode;
  /** Long texts are shown whole, on several lines. */
  readonly isWrapped?: boolean;
  /** Its rows are edited where they are: their fields look like fields. */
  readonly hasFields?: boolean;
  /** Above the first row of each group, such as of a day. */
  readonly groupOf?: (row: R) => string;
  /** What is done with all selected rows. */
  readonly bulk?: ((rows: readonly R[], clear: () => void) => ReactNode) | undefined;
  /** No more rows than these are selected at a time; there is room for it everywhere. Absent: any number, where there is room. */
  readonly most?: number;
  /** In place of the table: why there is nothing, and what to do. */
  readonly empty?: ReactNode;
}

const BONES = 5;
const READ: ListState = { isPending: false, error: null, refetch: () => undefined };

interface HeadProps<R> {
  readonly column: Column<R>;
  readonly sort: Sort | undefined;
  /** Whether a head has sorted the list: it has the focus again when the rows come. */
  readonly hasSorted: boolean;
}

function Head<R>({ column, sort, hasSorted }: HeadProps<R>): ReactNode {
  const { title, isNumber, leaves } = column;
  const by = sort === undefined ? undefined : column.sort;
  const isSorted = by !== undefined && sort?.by === by;
  const Arrow = sort?.isDown ? ArrowDown : ArrowUp;
  return (
    <th
      scope="col"
      className={classOf(isNumber && "number", leaves)}
      aria-sort={isSorted ? (sort?.isDown ? "descending" : "ascending") : undefined}
    >
      {by === undefined ? (
        title
      ) : (
        <button
          ref={(button) => {
            if (isSorted && hasSorted && document.activeElement === document.body) button?.focus();
          }}
          type="button"
          className="sort"
          onClick={() => sort?.onSort(by, isSorted && !sort.isDown)}
        >
          {title}
          {isSorted && <Arrow className="i i-s" />}
        </button>
      )}
    </th>
  );
}

function Cells<R>({ columns, row }: { readonly columns: readonly Column<R>[]; readonly row: R }): ReactNode {
  const name = Math.max(
    0,
    columns.findIndex(({ isName }) => isName),
  );
  return columns.map(({ title, cell, isNumber, leaves }, at) =>
    at === name ? (
      <th key={title} scope="row">
        {cell(row)}
      </th>
    ) : (
      <td key={title} className={classOf(isNumber && "number", leaves)}>
        {cell(row)}
      </td>
    ),
  );
}

function Bones({ columns }: { readonly columns: number }): ReactNode {
  return Array.from({ length: BONES }, (_, at) => (
    <tr key={at} className="bones" aria-hidden="true">
      {Array.from({ length: columns }, (__, cell) => (
        // oxlint-disable-next-line jsx-a11y/control-has-associated-label -- its row is hidden
        <td key={cell}>
          <span />
        </td>
      ))}
    </tr>
  ));
}

function classOf(...names: readonly (string | false | undefined)[]): string | undefined {
  return names.filter(Boolean).join(" ") || undefined;
}

/** The selected ones of the rows that are shown: those that are gone are no longer selected. */
function useSelection<R>(rows: readonly R[], keyOf: (row: R) => string) {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const selected = rows.filter((row) => keys.has(keyOf(row)));
  return {
    selected,
    has: (row: R) => keys.has(keyOf(row)),
    set: (changed: readonly R[], isSelected: boolean) => {
      const next = new Set(keys);
      for (const key of changed.map(keyOf))
        if (isSelected) next.add(key);
        else next.delete(key);
      setKeys(next);
    },
    clear: () => setKeys(new Set()),
  };
}

function Tick(props: {
  readonly label: string;
  readonly isOn: boolean;
  readonly isPartly?: boolean;
  /** Why it cannot be ticked. */
  readonly whyNot?: string | null;
  readonly onChange: (isOn: boolean) => void;
}): ReactNode {
  const { label, isOn, isPartly = false, whyNot = null, onChange } = props;
  return (
    <label className="tick">
      <input
        ref={(box) => {
          if (box) box.indeterminate = isPartly;
        }}
        type="checkbox"
        aria-label={label}
        checked={isOn}
        aria-disabled={whyNot !== null || undefined}
        aria-description={whyNot ?? undefined}
        onChange={({ target }) => whyNot === null && onChange(target.checked)}
        // Nothing of it would be missed.
        onInput={(event) => event.stopPropagation()}
      />
    </label>
  );
}

function RowMenu({ name, entries }: { readonly name: string; readonly entries: readonly MenuEntry[] }): ReactNode {
  return entries.length > 0 && <Menu label={`Actions for ${name}`} entries={entries} />;
}

export function DataTable<R>(props: Props<R>): ReactNode {
  const { label, list = READ, rows, keyOf, nameOf = keyOf, columns, actions, bulk, current } = props;
  const { empty = null, groupOf, below, isWrapped = false, hasFields = false, most = Infinity } = props;
  const ticks = most === Infinity ? "ticks narrow" : "ticks";
  const selection = useSelection(rows, keyOf);
  const [hasSorted, setHasSorted] = useState(false);
  const sort = props.sort && {
    ...props.sort,
    onSort: (...chosen: Parameters<Sort["onSort"]>) => {
      setHasSorted(true);
      props.sort?.onSort(...chosen);
    },
  };
  const { selected } = selection;
  const isBare = rows.length === 0 && !list.isPending && !list.hasNextPage;
  if (isBare) return list.error ? <ListProblem list={list} /> : empty;
  return (
    <>
      <ListProblem list={list} />
      {/* Its rows take the place of the bones: they do not move from there. */}
      <div key={String(list.isPending)} className="frame">
        {list.isPending && <output className="hidden" aria-label="Loading" />}
        <table
          className={classOf("data", isWrapped && "wrapped", hasFields && "fields")}
          aria-label={label}
          aria-busy={list.isPending}
        >
          <thead>
            <tr>
              {bulk && (
                <td className={ticks}>
                  {most === Infinity && (
                    <Tick
                      label="Select all"
                      isOn={rows.length > 0 && selected.length === rows.length}
                      isPartly={selected.length > 0 && selected.length < rows.length}
                      onChange={(isOn) => selection.set(rows, isOn)}
                    />
                  )}
                </td>
              )}
              {columns.map((column) => (
                <Head key={column.title} column={column} sort={sort} hasSorted={hasSorted} />
              ))}
              {actions && (
                <th scope="col">
                  <span className="hidden">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {list.isPending && <Bones columns={columns.length} />}
            {rows.map((row, at) => {
              const opened = below?.(row);
              const [group, before] = [groupOf?.(row), at === 0 ? undefined : groupOf?.(rows[at - 1] as R)];
              return (
                <Fragment key={keyOf(row)}>
                  {group !== before && (
                    <tr className="group">
                      <th scope="rowgroup" colSpan={columns.length}>
                        {group}
                      </th>
                    </tr>
                  )}
                  <tr className={selection.has(row) || keyOf(row) === current ? "selected" : undefined}>
                    {bulk && (
                      <td className={ticks}>
                        <Tick
                          label={`Select ${nameOf(row)}`}
                          isOn={selection.has(row)}
                          whyNot={
                            selected.length < most || selection.has(row) ? null : `No more than ${most} at a time`
                          }
                          onChange={(isOn) => selection.set([row], isOn)}
                        />
                      </td>
                    )}
                    <Cells columns={columns} row={row} />
                    {actions && (
                      <td className="end">
                        <RowMenu name={nameOf(row)} entries={actions(row)} />
                      </td>
                    )}
                  </tr>
                  {opened && (
                    <tr>
                      <td colSpan={columns.length + (bulk ? 1 : 0) + (actions ? 1 : 0)} className="whole">
                        {opened}
                      </td>
                    </tr>
                  )}
                </Fragment>
              );
            })}
          </tbody>
        </table>
        {list.hasNextPage && (
          <div className="frame-foot">
            <span>{rows.length === 0 ? "Nothing of it yet" : `The first ${rows.length}`}</span>
            <ShowMore list={list} />
          </div>
        )}
      </div>
      {bulk && selected.length > 0 && (
        <div className="bulk" role="toolbar" aria-label={`Selected: ${label}`}>
          <output>{selected.length} selected</output>
          {bulk(selected, selection.clear)}
          <button type="button" className="icon" aria-label="Clear selection" onClick={selection.clear}>
            <X className="i" />
          </button>
        </div>
      )}
    </>
  );
}
