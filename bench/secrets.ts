// Secrets: reads, reveals and changes beside raw node:http, in stores of two sizes, and what of a call is encryption.
import { join } from "node:path";
import { readSettings } from "../src/config.ts";
import { openKeyring } from "../src/keyring/keyring.ts";
import { placeOf } from "../src/resources/secrets/value.ts";
import { keySources } from "../src/runtime/master-keys.ts";
import { RAW_TOKEN, readBody, startRaw, startReeve } from "./processes.ts";
import type { Bench, ServerProcess } from "./processes.ts";
import { encodeRequest } from "./load.ts";
import type { ApiRequest } from "./load.ts";
import { fullReadLoad, fullWriteLoad, rotate, runRounds, workScenario } from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";
import { newSecretValue, seedSecrets } from "./seed-secrets.ts";
import type { SecretSeed, StoredSecret } from "./seed-secrets.ts";
import { atMost, finding, growthFindings, rateFinding, rowOf } from "./table.ts";
import type { Table } from "./table.ts";

const SIZES = [100, 100_000] as const;
/** The store whose secrets are changed, each of them often. */
const CHANGED_SIZE = 1_000;
/** Reads take this many secrets in turn, spread over the whole store. */
const SPREAD = 100;

interface SecretStore extends SecretSeed {
  readonly dataDir: string;
  readonly server: ServerProcess;
}

async function openStore({ folder, keep }: Bench, name: string, size: number): Promise<SecretStore> {
  const dataDir = join(folder, name);
  return { ...(await seedSecrets(dataDir, size)), dataDir, server: await keep(startReeve(dataDir)) };
}

type Call = (secret: StoredSecret) => ApiRequest;

const READS = {
  "page of 20": () => ({ method: "GET", path: "/v2/secrets" }),
  "secret by name": ({ name }) => ({ method: "GET", path: `/v3/secrets/${name}` }),
  "secret by id": ({ id }) => ({ method: "GET", path: `/v3/secrets/${id}` }),
} satisfies Record<string, Call>;

let nameCounter = 0;
const newName = () => `new-${nameCounter++}`;

/** Each writes, a reveal its event. */
const CHANGES = {
  reveal: ({ id }) => ({ method: "GET", path: `/v3/secrets/${id}?decrypt=true` }),
  create: () => ({ method: "POST", path: "/v2/secrets", body: { name: newName(), value: newSecretValue() } }),
  rename: ({ id }) => ({ method: "PATCH", path: `/v2/secrets/${id}`, body: { name: newName() } }),
  "new value": ({ id }) => ({ method: "PUT", path: `/v2/secrets/${id}`, body: { value: newSecretValue() } }),
} satisfies Record<string, Call>;

/** Raw node:http, which answers each call with what the store answered to it once. */
async function rawScenarios({ keep }: Bench, { server, token, secrets }: SecretStore): Promise<Scenario[]> {
  const bodies: Record<string, string> = {};
  const requests: { name: string; bytes: Buffer; isRead: boolean }[] = [];
  for (const [name, call] of Object.entries<Call>({ ...READS, ...CHANGES })) {
    const request = call(secrets[0] as StoredSecret);
    const path = `/${requests.length}${request.path}`;
    bodies[path] = await readBody(server, token, request);
    requests.push({
      name: `raw: ${name}`,
      bytes: encodeRequest({ ...request, path }, RAW_TOKEN),
      isRead: name in READS,
    });
  }
  const raw = await keep(startRaw(bodies));
  return requests.map(({ name, bytes, isRead }) => (isRead ? fullReadLoad : fullWriteLoad)(name, raw, () => bytes));
}

function readScenarios({ server, token, secrets }: SecretStore): Scenario[] {
  const spread = Array.from(
    { length: SPREAD },
    (_, at) => secrets[Math.floor((at * secrets.length) / SPREAD)] as StoredSecret,
  );
  return Object.entries<Call>(READS).map(([name, call]) => {
    const requests = spread.map((secret) => encodeRequest(call(secret), token));
    return fullReadLoad(`${name}, ${secrets.length} stored`, server, rotate(requests));
  });
}

function changeScenarios({ server, token, secrets }: SecretStore): Scenario[] {
  return Object.entries<Call>(CHANGES).map(([name, call]) => {
    const nextSecret = rotate(secrets);
    return fullWriteLoad(name, server, () => encodeRequest(call(nextSecret()), token));
  });
}

/** One encryption and one decryption as the calls do them, without anything around. */
function cryptoScenarios({ dataDir }: SecretStore): Scenario[] {
  const keyring = openKeyring(keySources(readSettings({ dataDir }, {})));
  const keyId = keyring.keyIds()[0] as string;
  const place = placeOf("owner", "secret", 1);
  const value = Buffer.from(newSecretValue());
  const sealed = keyring.seal(value, place, keyId);
  return [
    workScenario("one encryption", () => keyring.seal(value, place, keyId)),
    workScenario("one decryption", () => keyring.unseal(sealed, place)),
  ];
}

export async function benchSecrets(bench: Bench): Promise<Table[]> {
  const scenarios: Scenario[] = [];
  for (const size of SIZES) scenarios.push(...readScenarios(await openStore(bench, `secrets-${size}`, size)));
  const changed = await openStore(bench, "secrets-changed", CHANGED_SIZE);
  scenarios.push(...(await rawScenarios(bench, changed)), ...changeScenarios(changed), ...cryptoScenarios(changed));
  const rows = await runRounds(scenarios);
  const [small, large] = SIZES;
  const cpuShare = (part: string, whole: string) =>
    finding(`CPU: ${part} / whole ${whole}`, rowOf(rows, part).cpuUs / rowOf(rows, whole).cpuUs);
  const findings = [
    ...Object.keys(READS).map((read) => rateFinding(rows, `${read} / raw`, `${read}, ${small} stored`, `raw: ${read}`)),
    ...Object.keys(CHANGES).map((change) => rateFinding(rows, `${change} / raw`, change, `raw: ${change}`)),
    ...Object.keys(READS).flatMap((read) => {
      const label = `${read}: ${large} stored / ${small} stored`;
      return growthFindings(rows, label, `${read}, ${large} stored`, `${read}, ${small} stored`, atMost(1.2));
    }),
    cpuShare("one encryption", "create"),
    cpuShare("one encryption", "new value"),
    cpuShare("one decryption", "reveal"),
  ];
  return [{ title: "Secrets", unit: "requests/s", rows, findings }];
}
