import { Option } from "commander";
import type { CommandSpec } from "../command.ts";
import { toPrintable } from "../../platform/kernel/text/printable-text.ts";
import { formatTable, formatTime } from "../output.ts";
import { readAllPages } from "../pages.ts";
import { readExpiry } from "../times.ts";

interface Token {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly activeAt: number;
  readonly expiresAt?: number;
  readonly teamId?: string;
  readonly prefix?: string;
  readonly suffix?: string;
}

const userOption = () =>
  new Option("--user <username>", "whose token: a username, e-mail address or id").makeOptionMandatory();

interface CreateOptions {
  readonly user: string;
  readonly name: string;
  readonly team?: string;
  readonly expires?: string;
}

export const tokenCreateCommand: CommandSpec<CreateOptions> = {
  name: "create",
  summary: "create an access token for a user",
  description: "Create an access token for a user. Its value is printed here and never again.",
  examples: [
    "reeve token create --user admin --name laptop",
    "reeve token create --user ada --name ci --team acme --expires 30d --json",
  ],
  options: [
    userOption(),
    new Option("--name <name>", "name to tell tokens apart by").makeOptionMandatory(),
    new Option("--team <team>", "id or slug of the one team that the token is limited to"),
    new Option("--expires <when>", "90m, 12h, 30d from now, or a date; never by default"),
  ],
  async run({ callStore, options, output }) {
    const { user, name, team, expires } = options;
    const response = await callStore({
      operation: "createToken",
      user,
      team,
      body: { name, ...(expires === undefined ? {} : { expiresAt: readExpiry(expires, Date.now()) }) },
    });
    const { token, bearerToken } = response as { readonly token: Token; readonly bearerToken: string };
    output.result(
      response,
      `Created the token ${toPrintable(token.name)} for ${user}, which ${token.expiresAt === undefined ? "never expires" : `expires at ${formatTime(token.expiresAt, "-")}`}. It is not shown again:\n\n  ${bearerToken}\n`,
    );
  },
};

function describeTokens(tokens: readonly Token[]): string {
  if (tokens.length === 0) return "There are no tokens.";
  return formatTable(
    ["name", "value", "limited to", "created", "last used", "expires", "id"],
    tokens.map((token) => [
      token.name,
      `${token.prefix ?? ""}...${token.suffix ?? ""}`,
      token.teamId ?? "-",
      formatTime(token.createdAt, "-"),
      formatTime(token.activeAt, "-"),
      formatTime(token.expiresAt, "never"),
      token.id,
    ]),
  );
}

export const tokenListCommand: CommandSpec<{ readonly user: string }> = {
  name: "list",
  summary: "list a user's access tokens, newest first",
  examples: ["reeve token list --user admin"],
  options: [userOption()],
  async run({ callStore, options, output }) {
    const tokens = await readAllPages<Token>("tokens", (page) =>
      callStore({ operation: "listTokens", user: options.user, query: page }),
    );
    output.result({ tokens }, describeTokens(tokens));
  },
};

export const tokenRevokeCommand: CommandSpec<{ readonly user: string }> = {
  name: "revoke",
  summary: "revoke a user's access token",
  description: "Revoke a user's access token. The next request with it is refused, on every server.",
  examples: ["reeve token list --user ada", "reeve token revoke --user ada <id>"],
  arguments: [{ name: "<id>", help: "id of the token, as `token list` shows it" }],
  options: [userOption()],
  async run({ callStore, options, args, output }) {
    const [tokenId = ""] = args;
    const response = await callStore({ operation: "deleteToken", user: options.user, params: { tokenId } });
    output.result(response, `Revoked the token ${tokenId}.`);
  },
};
