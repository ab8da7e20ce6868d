// A writer thread for the tests of group commit: each job is a list of SQL statements; the word `fail` fails it.
import { serveWriter } from "../../src/platform/store/sqlite/writer-thread.ts";

serveWriter(({ file }: { readonly file: string }) => ({
  file,
  async handle(tx, input) {
    for (const sql of input as readonly string[]) {
      if (sql === "fail") throw new Error("told to fail");
      await tx.exec(sql);
    }
    return "done";
  },
}));
