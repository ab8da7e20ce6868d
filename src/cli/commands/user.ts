import { Option } from "commander";
import type { CommandSpec } from "../command.ts";
import { formatTable, formatTime } from "../output.ts";
import { readAllPages } from "../pages.ts";
import { readSettings } from "../../serve/config/config.ts";

interface User {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly name: string | null;
  readonly isAdmin: boolean;
  readonly createdAt: number;
  readonly suspendedAt: number | null;
}

interface CreateOptions {
  readonly username: string;
  readonly email: string;
  readonly name?: string;
  readonly admin?: true;
}

export const userCreateCommand: CommandSpec<CreateOptions> = {
  name: "create",
  summary: "create an account",
  examples: [
    "reeve user create --username ada --email ada@example.com",
    "reeve user create --username grace --email grace@example.com --admin --json",
  ],
  options: [
    new Option("--username <username>", "unique name to sign in with").makeOptionMandatory(),
    new Option("--email <address>", "unique e-mail address").makeOptionMandatory(),
    new Option("--name NAME", "name for people to read"),
    new Option("--admin", "may administer the instance"),
  ],
  async run({ callStore, options, output }) {
    const { username, email, name, admin } = options;
    const response = await callStore({
      operation: "createUser",
      user: null,
      body: { username, email, ...(name === undefined ? {} : { name }), ...(admin ? { admin } : {}) },
    });
    const { user } = response as { readonly user: User };
    output.result(
      response,
      `Created the account ${user.username} (${user.id}).\nAn access token for it: \`reeve token create --user ${user.username} --name NAME\``,
    );
  },
};

function describeUsers(users: readonly User[]): string {
  if (users.length === 0) return "There are no such accounts.";
  return formatTable(
    ["username", "email", "name", "admin", "created", "suspended", "id"],
    users.map((user) => [
      user.username,
      user.email,
      user.name ?? "-",
      user.isAdmin ? "yes" : "no",
      formatTime(user.createdAt, "-"),
      formatTime(user.suspendedAt, "-"),
      user.id,
    ]),
  );
}

export const userListCommand: CommandSpec<{ readonly search?: string }> = {
  name: "list",
  summary: "list the accounts, newest first",
  examples: ["reeve user list", "reeve user list --search ada --json"],
  options: [new Option("--search <text>", "only accounts whose username, e-mail address or name contains this")],
  async run({ callStore, options, output }) {
    const { search } = options;
    const users = await readAllPages<User>("users", (page) =>
      callStore({
        operation: "listUsers",
        user: null,
        query: { ...page, ...(search === undefined ? {} : { search }) },
      }),
    );
    output.result({ users }, describeUsers(users));
  },
};

export const userSignInLinkCommand: CommandSpec<object> = {
  name: "sign-in-link",
  summary: "make a link that signs in to an account once",
  description:
    "Make a link that signs in to an account once, within an hour: for the administrator's first sign-in, and for " +
    "people who are locked out. A person who opens it has the account; links made before no longer work. " +
    "It works on the database itself, beside a running server or without one.",
  examples: ["reeve user sign-in-link admin", "reeve user sign-in-link ada@example.com --json"],
  arguments: [{ name: "<user>", help: "username, e-mail address or id" }],
  async run({ flags, args, output }) {
    const [name = ""] = args;
    const { makeSignInLink } = await import("../bodies/sign-in-link.ts");
    const link = await makeSignInLink(readSettings(flags), name, Date.now);
    const { username, url, expiresAt } = link;
    output.result(
      link,
      `Open this link before ${formatTime(expiresAt, "-")} to sign in as ${username}, once:\n\n  ${url}\n`,
    );
  },
};
