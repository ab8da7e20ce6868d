import type { CommandSpec } from "../command.ts";
import { readSettings } from "../../serve/config/config.ts";

export const workerCommand: CommandSpec<object> = {
  name: "worker",
  needs: "settings",
  summary: "do background work without serving requests",
  description:
    "Do background work beside the servers of one PostgreSQL database, until told to stop. Servers do it too: a worker " +
    "takes load off them. With the embedded store there is one server, which does its work itself.",
  examples: ["reeve worker --database-url postgres://reeve@db.internal/reeve"],
  async run({ flags, output }) {
    const settings = readSettings(flags);
    const { work } = await import("../../serve/work.ts");
    return await work(settings, (start) => {
      if (start.engine === "sqlite") {
        output.note("The embedded store's server does this work itself; a worker helps on PostgreSQL only.");
      }
      const lines = [`Reeve works on  ${start.data}`, ...(start.url === null ? [] : [`Health at       ${start.url}`])];
      output.result(start, lines.join("\n"));
    });
  },
};
