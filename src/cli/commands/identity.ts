// `reeve identity explain`: asks a server why it exchanges a token for an API key, or does not. The token goes to that server alone, in
// a body.
import type { Output } from "../../client/types.ts";
import { toPrintable } from "../../platform/kernel/text/printable-text.ts";
import type { CommandSpec } from "../command.ts";
import { Failure, exitCode } from "../../platform/outcomes/failure.ts";
import { readText } from "../bodies/input.ts";
import { teamOption } from "../place-options.ts";
import { explainRemote } from "../bodies/remote/remote-failure.ts";

type Explanation = Output<"explainIdentity">;
type Trust = Explanation["trusts"][number];

const mark = (passes: boolean | null) => (passes === null ? "  ?   " : passes ? "  ok  " : "  NO  ");

function describeTrust(trust: Trust, token: Explanation): string[] {
  const { name, id, fits, suspended, issuerFits, audienceFits, issuer, audience, claims, allows } = trust;
  const state = suspended ? "suspended: adopt it, see /docs/identity of the server" : fits ? "fits" : "does not fit";
  return [
    "",
    `Trust rule ${name} (${id}): ${state}`,
    ...[
      { claim: "iss", fits: issuerFits, expected: [issuer], got: JSON.stringify(token.issuer), hint: null },
      { claim: "aud", fits: audienceFits, expected: [audience], got: token.audience, hint: null },
      ...claims,
    ].flatMap(({ claim, fits: isFit, expected, got, hint }) => {
      const wanted = expected.map((one) => JSON.stringify(one)).join(" or ");
      const line = `${mark(isFit)}${claim}  expected ${wanted}, got ${got ?? "nothing: the token does not have it"}`;
      // Servers before this one say none.
      return hint ? [line, `      ${toPrintable(hint)}`] : [line];
    }),
    `      an issued key: ${allows}`,
  ];
}

function describe(server: string, explained: Explanation): string {
  const { accepted, issuer, subject, checks, trusts } = explained;
  return [
    accepted ? `${server} exchanges this token.` : `${server} does not exchange this token.`,
    ...(issuer === null ? [] : [`Issuer   ${issuer}`, `Subject  ${toPrintable(subject ?? "")}`]),
    "",
    "The token:",
    ...checks.map(({ check, passes, text: why }) => `${mark(passes)}${check}  ${why}`),
    ...trusts.flatMap((trust) => describeTrust(trust, explained)),
  ].join("\n");
}

export const identityExplainCommand: CommandSpec<{ readonly team?: string }> = {
  name: "explain",
  needs: "server",
  summary: "find out why a signed token is exchanged for an API key, or is not",
  description:
    "Find out claim by claim which trust rules a signed token (JWT) of another issuer fits. The server neither exchanges nor stores it. " +
    "Without <token>, or with -, it is read from standard input, where other users of the machine can't see it. The exit code is 0 where " +
    "the token would be exchanged.",
  examples: [
    "reeve identity explain --team acme < token.jwt",
    "reeve identity explain eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln --team acme --json",
  ],
  arguments: [{ name: "[token]", help: "the token; - or none: standard input" }],
  options: [teamOption("id or slug of the team whose trust rules count, instead of your account's")],
  async run({ open, options: { team }, args: [given = "-"], output }) {
    const token = (given === "-" ? await readText("<token>", "-") : given).trim();
    if (token === "") throw new Failure("usage", "<token>: expected a token, as an argument or on standard input");
    const remote = await open(team);
    const explained = await remote.client.call("explainIdentity", { body: { token } }).catch((error: unknown) => {
      throw explainRemote(error, remote);
    });
    output.result({ server: remote.server, ...explained }, describe(remote.server, explained));
    return explained.accepted ? 0 : exitCode("fault");
  },
};
