// Signing the command line in and out of a server anywhere, and who one is there.
import { Option } from "commander";
import type { CommandSpec } from "../command.ts";
import { formatTime } from "../output.ts";
import { chooseFields, pick } from "../resources/print.ts";
import type { DeviceSignIn } from "../bodies/remote/sign-in.ts";
import type { RemoteIdentity } from "../bodies/remote/identity.ts";
import { readRemote } from "../../serve/config/config.ts";

function describeDevice({ url, userCode, expiresInMs, warning }: DeviceSignIn): string {
  const minutes = Math.floor(expiresInMs / 60_000);
  return [
    ...(warning === null ? [] : [`Warning: ${warning}`, ""]),
    "Open this page in a browser, compare the code, and approve:",
    "",
    `  ${url}`,
    "",
    `  Code  ${userCode}  (${minutes} minutes)`,
    "",
    "Waiting until you have approved ...",
  ].join("\n");
}

export const loginCommand: CommandSpec<object> = {
  name: "login",
  summary: "sign in to a server anywhere, with a browser",
  description:
    "Sign in to a server anywhere: approve the code that is shown in a browser, on any device. The browser decides what " +
    "the token may do and when it ends. It is stored in a file that only you may read, in your configuration folder " +
    "($XDG_CONFIG_HOME/reeve, or ~/.config/reeve). Programs use REEVE_SERVER and REEVE_TOKEN instead.",
  examples: ["reeve login --server https://reeve.example.com", "reeve login --context work"],
  needs: "server",
  async run({ remoteFlags, output }) {
    const { signIn } = await import("../bodies/remote/sign-in.ts");
    const context = await signIn(readRemote(remoteFlags), remoteFlags, (device) => output.note(describeDevice(device)));
    const { name, server, username, expiresAt } = context;
    const end = expiresAt === null ? "until you log out" : `until ${formatTime(expiresAt, "-")}`;
    output.result(context, `Signed in to ${server} as ${username}, ${end}. The context is ${name}.`);
  },
};

export const logoutCommand: CommandSpec<{ readonly forget?: true }> = {
  name: "logout",
  summary: "revoke the token of a server, and forget it",
  examples: ["reeve logout", "reeve logout --server https://reeve.example.com"],
  needs: "server",
  options: [new Option("--forget", "forget the token also when the server can't be reached to revoke it")],
  async run({ remoteFlags, options, output }) {
    const { signOut } = await import("../bodies/remote/sign-out.ts");
    const signedOut = await signOut(readRemote(remoteFlags), remoteFlags, options.forget === true);
    const { context, server, isRevoked } = signedOut;
    const rest = isRevoked ? "Its token is revoked." : "ITS TOKEN IS STILL VALID: revoke it in the console.";
    output.result(signedOut, `Signed out of ${server}: the context ${context} is gone. ${rest}`);
  },
};

function describeOwner({ owner, team }: NonNullable<RemoteIdentity["apiKey"]>): string {
  if (owner === "user" || team === null) return "an API key of an account";
  return `an API key of the team ${team.slug === null ? team.id : `${team.slug} (${team.id})`}`;
}

function describeIdentity({ server, context, user, token, apiKey }: RemoteIdentity): string {
  const owner = apiKey === null ? "" : describeOwner(apiKey);
  const credential = token ?? apiKey;
  const lines = [
    ["Server", server],
    ["Context", context ?? "none: the credential is that of REEVE_TOKEN"],
    ["You are", user === null ? owner : `${user.username} (${user.email})`],
    ...(apiKey === null || user === null ? [] : [["Credential", owner]]),
    ...(credential === null ? [] : [[token === null ? "API key" : "Token", credential.name]]),
    ...(typeof token?.teamId === "string" ? [["Limited to", `the team ${token.teamId}`]] : []),
    ...(credential === null
      ? []
      : [
          ["Allows", credential.allows],
          ["Expires", formatTime(credential.expiresAt, "never")],
        ]),
  ];
  return lines.map(([label = "", text = ""]) => `${label.padEnd(12)}${text}`).join("\n");
}

/** As the fields of --json. */
const IDENTITY: Readonly<Record<keyof RemoteIdentity, { readonly isTime: boolean }>> = {
  server: { isTime: false },
  context: { isTime: false },
  user: { isTime: false },
  token: { isTime: false },
  apiKey: { isTime: false },
};

export const whoamiCommand: CommandSpec<{ readonly json?: string }> = {
  name: "whoami",
  summary: "show the server that commands reach, who you are there, and what your credential may do",
  examples: ["reeve whoami", "reeve whoami --json server,user"],
  needs: "server",
  fields: Object.keys(IDENTITY),
  async run({ remoteFlags, options: { json }, output }) {
    const fields = chooseFields(json ?? "*", IDENTITY);
    const { identify } = await import("../bodies/remote/identity.ts");
    const identity = await identify(readRemote(remoteFlags), remoteFlags);
    output.result(pick({ ...identity }, fields), describeIdentity(identity));
  },
};
