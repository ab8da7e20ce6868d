// The commands below `reeve`, with what its help says of them. What a command is made of is loaded when it is the one that runs.
import type { AnyCommand } from "./command.ts";

export interface Entry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly load: () => Promise<AnyCommand>;
}

async function resource(name: string): Promise<AnyCommand> {
  const [{ RESOURCES }, { loadResource }] = await Promise.all([
    import("./resources/resources.ts"),
    import("./resources/load-resource.ts"),
  ]);
  const found = RESOURCES.find((one) => one.name === name);
  if (!found) throw new Error(`there is no resource ${name}`);
  return await loadResource(found);
}

const session = async () => await import("./commands/session.ts");
const backup = async () => await import("./commands/backup.ts");
const restore = async () => await import("./commands/restore.ts");
const entry = (name: string, summary: string, load: Entry["load"]): Entry => ({ name, summary, load });
const ofResource = (name: string, summary: string, ...aliases: readonly string[]): Entry => ({
  name,
  summary,
  ...(aliases.length > 0 && { aliases }),
  load: async () => await resource(name),
});

/** Commands by what they work on, in the order of the help. */
export const ENTRIES: Readonly<Record<string, readonly Entry[]>> = {
  "A server anywhere:": [
    ofResource("teams", "list, create and change teams"),
    ofResource("members", "see who is in a team, invite people and change their roles"),
    ofResource("invites", "list, create and end invites to a team"),
    ofResource("secrets", "set, list and reveal secrets, and move them as an encrypted file"),
    ofResource("projects", "see and create projects: what environments and firewalls belong to"),
    ofResource("environments", "see and change what applications of a project get as variables"),
    ofResource("firewall", "change, activate and test firewall configurations"),
    ofResource("events", "list, follow, export and verify the recorded events, and sign checkpoints"),
    ofResource("webhooks", "create and test webhooks, and see and repeat their deliveries"),
    ofResource("tokens", "create, list and revoke access tokens", "token"),
    ofResource("api-keys", "create, rotate and delete API keys"),
    ofResource("identity", "trust signed tokens of other issuers, and explain them"),
    entry(
      "run",
      "run a program with the values of an environment",
      async () => (await import("./commands/run.ts")).runCommand,
    ),
    entry("env", "pull, compare and push the values of an environment as a file", async () => {
      const { envDiffCommand, envPullCommand } = await import("./commands/env.ts");
      const { envPushCommand } = await import("./commands/env-push.ts");
      const commands = [envPullCommand, envDiffCommand, envPushCommand];
      return { name: "env", summary: "pull, compare and push the values of an environment as a file", commands };
    }),
    entry(
      "link",
      "say what commands in this folder are about: a team, a project, an environment",
      async () => (await import("./commands/link.ts")).linkCommand,
    ),
    entry("api", "send any request to the API", async () => (await import("./commands/api.ts")).apiCommand),
    entry("login", "sign in to a server anywhere, with a browser", async () => (await session()).loginCommand),
    entry("logout", "revoke the token of a server, and forget it", async () => (await session()).logoutCommand),
    entry(
      "whoami",
      "show the server that commands reach, who you are there, and what your credential may do",
      async () => (await session()).whoamiCommand,
    ),
    entry("context", "list and choose the servers that you are signed in to", async () => {
      const { contextListCommand, contextUseCommand } = await import("./commands/context.ts");
      const commands = [contextListCommand, contextUseCommand];
      return { name: "context", summary: "list and choose the servers that you are signed in to", commands };
    }),
    entry(
      "completion",
      "print what makes a shell complete commands",
      async () => (await import("./commands/completion.ts")).completionCommand,
    ),
  ],
  "This machine:": [
    entry("serve", "run the server", async () => (await import("./commands/serve.ts")).serveCommand),
    entry(
      "worker",
      "do background work without serving requests",
      async () => (await import("./commands/worker.ts")).workerCommand,
    ),
    entry(
      "gate",
      "enforce firewalls in front of an application",
      async () => (await import("./commands/gate.ts")).gateCommand,
    ),
    entry(
      "migrate",
      "create the database or bring it to this version's schema",
      async () => (await import("./commands/migrate.ts")).migrateCommand,
    ),
    entry(
      "doctor",
      "check the settings and the store, or a gate",
      async () => (await import("./commands/doctor.ts")).doctorCommand,
    ),
    entry(
      "backup",
      "write everything into a file, beside a running server",
      async () => (await backup()).backupCommand,
    ),
    entry("restore", "make a backup the store, or verify it", async () => (await restore()).restoreCommand),
    entry(
      "export",
      "write everything as lines of JSON, for the other engine too",
      async () => (await backup()).exportCommand,
    ),
    entry(
      "import",
      "make the store out of what `reeve export` wrote, on either engine",
      async () => (await restore()).importCommand,
    ),
    entry("user", "create and list accounts, and let people in who are locked out", async () => {
      const { userCreateCommand, userListCommand, userSignInLinkCommand } = await import("./commands/user.ts");
      const commands = [userCreateCommand, userListCommand, userSignInLinkCommand];
      return { name: "user", summary: "create and list accounts, and let people in who are locked out", commands };
    }),
    entry("keys", "rotate, inspect and retire master keys", async () => {
      const { keysRetireCommand, keysRotateCommand, keysStatusCommand } = await import("./commands/keys.ts");
      const commands = [keysRotateCommand, keysStatusCommand, keysRetireCommand];
      return { name: "keys", summary: "rotate, inspect and retire master keys", commands };
    }),
  ],
};

/** All of them, in one list. */
export const ALL_ENTRIES: readonly Entry[] = Object.values(ENTRIES).flat();

export function findEntry(name: string): Entry | undefined {
  return ALL_ENTRIES.find((one) => one.name === name || one.aliases?.includes(name));
}
