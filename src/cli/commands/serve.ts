import { Option } from "commander";
import type { CommandSpec } from "../command.ts";
import type { ServerStart } from "../starts.ts";

function describeStart(start: ServerStart): string {
  const { url, docsUrl, gateUrl, data, isFirstStart, adminToken, setUpUrl, newKeyFile } = start;
  const lines = url === null ? [] : [`Reeve listens on  ${url}`, `Documentation     ${docsUrl}`];
  if (gateUrl !== null) lines.push(`The gate          ${gateUrl}`);
  lines.push(`Data              ${data}`);
  if (setUpUrl !== null) {
    lines.push(
      "",
      "This is the first start. Open this link within an hour to set up the administrator's account:",
      "",
      `  ${setUpUrl}`,
      "",
      "It works once; `reeve user sign-in-link admin` makes another one.",
    );
  }
  if (adminToken !== null) {
    lines.push(
      "",
      "For scripts, the administrator's access token, which is not shown again:",
      "",
      `  ${adminToken}`,
      "",
    );
  } else if (isFirstStart) {
    lines.push("", "For scripts, the administrator's access token is the one of REEVE_BOOTSTRAP_TOKEN.", "");
  }
  if (newKeyFile !== null) {
    lines.push(
      `BACK THIS FILE UP, apart from the database: ${newKeyFile}`,
      "It holds the new master key that seals all secrets. Without it no secret can be read again, by anybody.",
      "",
    );
  }
  return lines.join("\n");
}

export const serveCommand: CommandSpec<{ readonly gate?: true }> = {
  name: "serve",
  needs: "settings",
  summary: "run the server",
  description:
    "Run the server until it is told to stop (SIGTERM, Ctrl-C): it then takes no more requests, finishes those that " +
    "run, and ends within 10 seconds. Prints where it listens on standard output; logs are JSON lines on standard error, readable ones on a terminal.",
  examples: ["reeve serve", "reeve serve --port 8080 --data-dir /var/lib/reeve"],
  options: [
    new Option("--no-console", "leave the console out: the same as --console off"),
    new Option("--gate", "enforce firewalls in this process too, by the REEVE_GATE_ settings; see `reeve gate`"),
  ],
  async run({ reeve, flags, options: { gate = false }, output }) {
    return await reeve.serve(flags, (start) => output.result(start, describeStart(start)), { withGate: gate });
  },
};
