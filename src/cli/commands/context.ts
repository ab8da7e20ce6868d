// The contexts of a person: servers that the command line is signed in to.
import type { CommandSpec } from "../command.ts";
import { formatTable, formatTime } from "../output.ts";
import type { ContextEntry } from "../bodies/remote/contexts.ts";
import { readRemote } from "../../serve/config/config.ts";

function describeContexts(contexts: readonly ContextEntry[]): string {
  if (contexts.length === 0) return "You are signed in nowhere: run `reeve login --server URL`.";
  return formatTable(
    ["", "name", "server", "user", "expires"],
    contexts.map(({ name, server, username, expiresAt, isCurrent }) => [
      isCurrent ? "*" : "",
      name,
      server,
      username,
      formatTime(expiresAt, "never"),
    ]),
  );
}

export const contextListCommand: CommandSpec<object> = {
  name: "list",
  summary: "list the servers that you are signed in to",
  examples: ["reeve context list", "reeve context list --json"],
  needs: "files",
  async run({ output }) {
    const { listContexts } = await import("../bodies/remote/context-commands.ts");
    const list = await listContexts(readRemote({}));
    output.result(list, describeContexts(list.contexts));
  },
};

export const contextUseCommand: CommandSpec<object> = {
  name: "use",
  summary: "choose the server that commands reach from now on",
  examples: ["reeve context use reeve.example.com"],
  needs: "files",
  arguments: [{ name: "<name>", help: "name of the context, as `reeve context list` shows it" }],
  async run({ args, output }) {
    const [name = ""] = args;
    const { useContext } = await import("../bodies/remote/context-commands.ts");
    const context = await useContext(readRemote({}), name);
    output.result(context, `Commands reach ${context.server} as ${context.username} from now on.`);
  },
};
