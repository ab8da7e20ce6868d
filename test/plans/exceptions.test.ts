// docs/scaling.md lists what reads more than three pages, as the tests of plans permit it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isWriting, readTable, writeTable } from "../harness/recorded-table.ts";
import { exceptionRows } from "./lists.ts";

test("docs/scaling.md lists the filters that read more than three pages, with the reason", () => {
  const rows = exceptionRows();
  if (isWriting) writeTable("scaling.md", "more than three pages", rows);
  assert.deepEqual(readTable("scaling.md", "more than three pages"), rows, "REEVE_TEST_WRITE=1 writes the table");
});
