// Jobs that exchange their signed token by a trust rule and use the key, written out for people to copy.
import type { TrustRule } from "./claim-rows.ts";
import type { PresetName } from "./presets.ts";
import { PRESETS } from "./presets.ts";

export type UsedTrustRule = Pick<
  TrustRule,
  "id" | "issuer" | "audience" | "claims" | "permissions" | "projects" | "environments"
>;

export interface Job {
  /** URL of the server, without a slash at the end. */
  readonly server: string;
  /** Id or slug. */
  readonly team: string;
  readonly trust: UsedTrustRule;
}

function textsOf({ claims }: UsedTrustRule, claim: string): readonly string[] {
  return [claims[claim] ?? []].flat().filter((pattern) => typeof pattern === "string");
}

/** The groups of the first pattern of `sub` that fits. */
function inSubject(trust: UsedTrustRule, pattern: RegExp): readonly string[] {
  const [found] = textsOf(trust, "sub").flatMap((text) => {
    const match = pattern.exec(text);
    return match ? [match.slice(1)] : [];
  });
  return found ?? [];
}

/** Where the tokens of a rule come from, as far as it tells. */
export function platformOf(trust: UsedTrustRule): PresetName {
  const { issuer, claims } = trust;
  const begins = (text: string): boolean => textsOf(trust, "sub").some((one) => one.startsWith(text));
  if (issuer === PRESETS.github.issuer || issuer.startsWith(`${PRESETS.github.issuer}/`)) return "github";
  if (issuer === PRESETS.gitlab.issuer || begins("project_path:") || "project_path" in claims) return "gitlab";
  const isOfPod =
    begins("system:serviceaccount:") || Object.keys(claims).some((claim) => claim.includes("kubernetes.io"));
  return isOfPod ? "kubernetes" : "other";
}

/** Whether keys of the rule may read the values of an environment. */
export function mayReadValues({ permissions }: UsedTrustRule): boolean {
  return permissions.includes("environment:read") && permissions.includes("secret:reveal");
}

/** A word for a shell, whatever is in it. */
const word = (text: string): string =>
  /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A text for YAML, of which JSON is a part. */
const yaml = (text: string): string => JSON.stringify(text);

const indent = (text: string, by: number): string => text.replaceAll("\n", `\n${" ".repeat(by)}`);

/** A command whose output is the key. Credentials come by the standard input, because others can see a command line. */
function exchangeOf({ id }: UsedTrustRule): string {
  return String.raw`curl -sSf "$REEVE_SERVER/v1/identity/exchange" \
  -d grant_type=urn:ietf:params:oauth:grant-type:token-exchange \
  -d subject_token_type=urn:ietf:params:oauth:token-type:jwt \
  -d audience=${id} --data-urlencode subject_token@- |
  sed -n 's/.*"access_token" *: *"\([A-Za-z0-9_]*\)".*/\1/p'`;
}

/** A command that uses the key: a program with the values of an environment, or else what the key may do. */
function useOf({ team, trust }: Job): string {
  if (!mayReadValues(trust)) {
    return `printf "Authorization: Bearer %s" "$REEVE_TOKEN" | curl -sSf "$REEVE_SERVER/v1/api-keys/current" -H @-`;
  }
  const { projects, environments } = trust;
  const place = ["--project", projects?.[0] ?? "PROJECT", "--env", environments?.[0] ?? "production"];
  return `reeve run ${["--team", team, ...place].map(word).join(" ")} -- ./deploy.sh`;
}

function github(job: Job): string {
  const { server, trust } = job;
  const [environment] = inSubject(trust, /:environment:([^:*]+)$/);
  return `deploy:
  runs-on: ubuntu-latest${environment === undefined ? "" : `\n  environment: ${yaml(environment)}`}
  permissions: { id-token: write, contents: read }
  env:
    REEVE_SERVER: ${yaml(server)}
    AUDIENCE: ${yaml(trust.audience)}
  steps:
    - uses: actions/checkout@v5
    - shell: bash
      run: |
        id_token=$(printf "Authorization: Bearer %s" "$ACTIONS_ID_TOKEN_REQUEST_TOKEN" |
          curl -sSf "$ACTIONS_ID_TOKEN_REQUEST_URL" -G --data-urlencode "audience=$AUDIENCE" -H @- | jq -r .value)
        echo "::add-mask::$id_token"
        key=$(printf %s "$id_token" | ${indent(exchangeOf(trust), 8)})
        echo "::add-mask::$key"
        echo "REEVE_TOKEN=$key" >> "$GITHUB_ENV"
    - run: |
        ${useOf(job)}
`;
}

function gitlab(job: Job): string {
  const { server, trust } = job;
  return `deploy:
  id_tokens:
    ID_TOKEN: { aud: ${yaml(trust.audience)} }
  variables:
    REEVE_SERVER: ${yaml(server)}
  script:
    - |
      REEVE_TOKEN=$(printf %s "$ID_TOKEN" | ${indent(exchangeOf(trust), 6)})
      export REEVE_TOKEN
    - |
      ${useOf(job)}
`;
}

function kubernetes(job: Job): string {
  const { server, trust } = job;
  const [namespace = "NAMESPACE", account = "SERVICE_ACCOUNT"] = inSubject(
    trust,
    /^system:serviceaccount:([^:*]+):([^:*]+)$/,
  );
  return `apiVersion: v1
kind: Pod
metadata: { name: deploy, namespace: ${yaml(namespace)} }
spec:
  serviceAccountName: ${yaml(account)}
  restartPolicy: Never
  containers:
    - name: deploy
      image: IMAGE
      env:
        - { name: REEVE_SERVER, value: ${yaml(server)} }
      command: [sh, -ec]
      args:
        - |
          REEVE_TOKEN=$(cat /var/run/secrets/reeve/token | ${indent(exchangeOf(trust), 10)})
          export REEVE_TOKEN
          ${useOf(job)}
      volumeMounts:
        - { name: reeve, mountPath: /var/run/secrets/reeve, readOnly: true }
  volumes:
    - name: reeve
      projected:
        sources:
          - serviceAccountToken: { audience: ${yaml(trust.audience)}, expirationSeconds: 3600, path: token }
`;
}

function shell(job: Job): string {
  const { server, trust } = job;
  return `# ID_TOKEN is the signed token of the job, for the audience ${yaml(trust.audience)}
export REEVE_SERVER=${word(server)}
REEVE_TOKEN=$(printf %s "$ID_TOKEN" | ${exchangeOf(trust)})
export REEVE_TOKEN
${useOf(job)}
`;
}

export const JOBS: Readonly<Record<PresetName, (job: Job) => string>> = { github, gitlab, kubernetes, other: shell };
