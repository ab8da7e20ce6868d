import { Option } from "commander";
import type { CommandSpec } from "../command.ts";
import type { ServerStart } from "../../serve/serve.ts";
import { readLocalGate, readSettings } from "../../serve/config/config.ts";

function describeSetUp({ isFirstStart, setUpUrl, setUpUser, chosenPort }: ServerStart): string[] {
  if (setUpUrl === null) return [];
  const portFlag = chosenPort === null ? "" : ` --port ${chosenPort}`;
  return [
    "",
    isFirstStart
      ? "This is the first start. Open this link within an hour to set up the administrator's account:"
      : "Nobody has set up the administrator's account yet. Open this link within an hour to do it:",
    "",
    `  ${setUpUrl}`,
    "",
    `It works once. The next start prints another one, and so does \`reeve user sign-in-link ${setUpUser}${portFlag}\`.`,
    "",
  ];
}

function describeToken({ isFirstStart, adminToken, isTokenUnused, setUpUser }: ServerStart): string[] {
  if (adminToken !== null) {
    const what = "For scripts, the administrator's access token, which is not shown again:";
    return [what, "", `  ${adminToken}`, ""];
  }
  if (isTokenUnused) {
    return [
      "REEVE_BOOTSTRAP_TOKEN has no effect: there are accounts already, and it is no token of theirs. Make one with",
      `\`reeve token create --user ${setUpUser ?? "NAME"} --name NAME\`.`,
      "",
    ];
  }
  return isFirstStart ? ["For scripts, the administrator's access token is the one of REEVE_BOOTSTRAP_TOKEN.", ""] : [];
}

function describeKey({ newKeyFile }: ServerStart): string[] {
  if (newKeyFile === null) return [];
  return [
    `BACK THIS FILE UP, apart from the database: ${newKeyFile}`,
    "It holds the new master key that seals all secrets. Without it no secret can be read again, by anybody.",
    "",
  ];
}

function describeStart(start: ServerStart): string {
  const { url, docsUrl, gateUrl, data } = start;
  return [
    ...(url === null ? [] : [`Reeve listens on  ${url}`, `Documentation     ${docsUrl}`]),
    ...(gateUrl === null ? [] : [`The gate          ${gateUrl}`]),
    `Data              ${data}`,
    ...describeSetUp(start),
    ...describeToken(start),
    ...describeKey(start),
  ].join("\n");
}

export const serveCommand: CommandSpec<{ readonly gate?: true }> = {
  name: "serve",
  needs: "settings",
  summary: "run the server",
  description:
    "Run the server until it is told to stop (SIGTERM, Ctrl-C): it then takes no more requests, finishes those that " +
    "run, and ends within 10 seconds. Prints where it listens on standard output. Logs are JSON lines on standard error. At a terminal " +
    "they are readable, and warnings and errors alone unless --log-level says otherwise: `info` has a line for each request.",
  examples: ["reeve serve", "reeve serve --port 8080 --data-dir /var/lib/reeve"],
  options: [
    new Option("--no-console", "leave the console out: the same as --console off"),
    new Option("--gate", "enforce firewalls in this process too, by the REEVE_GATE_ settings; see `reeve gate`"),
  ],
  async run({ flags, options: { gate = false }, output }) {
    const announce = (start: ServerStart) => output.result(start, describeStart(start));
    const settings = readSettings(flags);
    const gateSettings = gate ? readLocalGate() : null;
    const isEmbedded = settings.databaseUrl === null;
    const writerThread = isEmbedded ? (await import("../../serve/writer-launch.ts")).launchWriter() : undefined;
    const { serve } = await import("../../serve/serve.ts");
    return await serve(settings, writerThread, announce, gateSettings);
  },
};
