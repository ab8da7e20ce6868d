// Statements name columns in camelCase, and the database in snake_case. The columns of a result get their names by aliases, so that no
// row is translated.
import {
  AliasNode,
  ColumnNode,
  IdentifierNode,
  ReferenceNode,
  SelectAllNode,
  SelectQueryNode,
  TableNode,
} from "kysely";
import type { DefaultQueryCompiler, OperationNode, SelectionNode } from "kysely";
import { COLUMNS } from "./tables/tables.ts";
import type { Tables } from "./tables/tables.ts";

/** The name of a column in the database. */
export const columnName = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const nameOf = (node: OperationNode | undefined) => (node && IdentifierNode.is(node) ? node.name : undefined);

/** The tables of a selection, by the names that it has for them. A subquery with a table's name has the columns of that table. */
function tablesOf({ from, joins = [] }: SelectQueryNode): Map<string, keyof Tables> {
  const found = new Map<string, keyof Tables>();
  for (const node of [...(from?.froms ?? []), ...joins.map(({ table }) => table)]) {
    const table = AliasNode.is(node) ? node.node : node;
    const alias = AliasNode.is(node) ? nameOf(node.alias) : undefined;
    const name = TableNode.is(table) ? table.table.identifier.name : alias;
    if (name !== undefined && name in COLUMNS) found.set(alias ?? name, name as keyof Tables);
  }
  return found;
}

type Compiler = new () => DefaultQueryCompiler;

/** A compiler of an engine that does so. */
export function inCamelCase(Engine: Compiler): Compiler {
  return class extends Engine {
    /** Whether the node, a selection, is a column of the statement's result. */
    get #isOfResult() {
      return this.nodeStack.length === (SelectQueryNode.is(this.nodeStack[0] as OperationNode) ? 2 : 3);
    }

    #appendResult(name: string) {
      if (columnName(name) !== name) this.append(` as "${name}"`);
    }

    #appendAll(table: string | undefined) {
      const tables = tablesOf(this.nodeStack[0] as SelectQueryNode);
      const columns = COLUMNS[tables.get(table ?? [...tables.keys()].join()) as keyof Tables].split(" ");
      for (const [index, name] of columns.entries()) {
        if (index > 0) this.append(", ");
        if (table !== undefined) this.append(`"${table}".`);
        this.append(`"${columnName(name)}"`);
        this.#appendResult(name);
      }
    }

    protected override visitSelection(node: SelectionNode): void {
      const { selection } = node;
      if (!this.#isOfResult) return super.visitSelection(node);
      if (AliasNode.is(selection)) {
        this.visitNode(selection.node);
        return this.append(` as "${nameOf(selection.alias)}"`);
      }
      const column = ReferenceNode.is(selection) ? selection.column : selection;
      if (SelectAllNode.is(column)) {
        return this.#appendAll(ReferenceNode.is(selection) ? selection.table?.table.identifier.name : undefined);
      }
      super.visitSelection(node);
      if (ColumnNode.is(column)) this.#appendResult(column.column.name);
    }

    protected override visitIdentifier(node: IdentifierNode): void {
      super.visitIdentifier(IdentifierNode.create(columnName(node.name)));
    }
  };
}
