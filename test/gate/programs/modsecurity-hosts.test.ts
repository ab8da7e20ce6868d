// nginx with ModSecurity behind the files of deploy/gate/: what is exempted or only watched by its host is chosen by the host that nginx
// chose the server by, and by nothing else that a client says.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "../../harness/free-port.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { echo, listenOn, startGateWorld } from "../gate-world.ts";
import { createKeeper, crsWith } from "../seclang-world.ts";
import { nginxWith, run } from "./run-program.ts";
import { sendRaw } from "./send-raw.ts";

const DEPLOY = fileURLToPath(new URL("../../../deploy/gate/", import.meta.url));
const [STRICT, WATCHED, EXEMPT] = ["strict.test", "watched.test", "exempt.test"] as const;

const world = await startGateWorld();
const rule = {
  name: "No attacks are looked for there",
  active: true,
  conditionGroup: [{ conditions: [{ type: "host", op: "eq", value: EXEMPT }] }],
  action: { mitigate: { action: "bypass", bypassSystem: true } },
};
const project = await world.newProject(crsWith({}, [rule]));
const hosts = [STRICT, WATCHED, EXEMPT].map((host) => ({ host, team: world.team.slug, project }));
const gate = await world.startGate({ hosts });
const { url: application } = await listenOn(echo);

const [out, loaded] = [world.newFolder(), world.newFolder()];
const [rendered] = await createKeeper(world, project, { out, loaded, hosts, detectOnly: [WATCHED] }).start();
mkdirSync(join(loaded, "logs"));

const [port, enginePort] = [await freePort(), await freePort()];
const addressOf = (url: string) => url.replace("http://", "");
const withPlaces = (name: string, next: string) =>
  readFileSync(join(DEPLOY, name), "utf8")
    .replaceAll("127.0.0.1:3000", addressOf(next))
    .replaceAll("127.0.0.1:3001", `127.0.0.1:${enginePort}`)
    .replaceAll("127.0.0.1:4080", addressOf(gate.url))
    .replaceAll("/etc/nginx/reeve/acme~shop.conf", rendered?.file as string)
    .replaceAll("/etc/nginx/reeve", loaded)
    .replaceAll("/var/log/reeve-modsecurity/audit.json", join(loaded, "logs", "audit.json"))
    .replace("listen 80;", `listen 127.0.0.1:${port};`);
writeFileSync(join(loaded, "engine.conf"), withPlaces("modsecurity/engine.conf", application));
const front = withPlaces("nginx.conf", `127.0.0.1:${enginePort}`);
const at = front.indexOf("\nserver {");
const sites = [STRICT, WATCHED, EXEMPT].map((host) => front.slice(at).replace("shop.example.com", host));
const engine = withPlaces("nginx-modsecurity.conf", application).replace("shop.example.com;", "_;");
run(
  "nginx",
  nginxWith(
    world.newFolder(),
    front.slice(0, at) + sites.join("") + engine,
    "load_module /usr/lib/nginx/modules/ngx_http_modsecurity_module.so; worker_processes 1; ",
  ),
);

const ATTACK = "/?q=<script>alert(1)</script>";
const send = async (target: string, lines: string, to = port) => {
  const text = `GET ${target} HTTP/1.1\r\n${lines}\r\nUser-Agent: test\r\nAccept: */*\r\nConnection: close\r\n\r\n`;
  const response = await sendRaw(to, text);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1]);
};
await waitFor("nginx to serve", async () => (await send("/", `Host: ${STRICT}`).catch(() => 0)) === 200 || undefined);

test("an attack is denied, and let through on a host that is exempted or only watched", async () => {
  assert.equal(await send(ATTACK, `Host: ${STRICT}`), 403);
  for (const host of [WATCHED, EXEMPT]) {
    for (const spelling of [host, `${host}:${port}`, host.toUpperCase(), `${host}.`]) {
      assert.equal(await send(ATTACK, `Host: ${spelling}`), 200, spelling);
      assert.equal(await send(`http://${host}${ATTACK}`, `Host: ${spelling}`), 200, spelling);
    }
  }
});

test("an attack on another host is not let through because it names an exempted one besides", async () => {
  for (const other of [WATCHED, EXEMPT]) {
    for (const [target, lines] of [
      [`http://${STRICT}${ATTACK}`, `Host: ${other}`],
      [`https://${STRICT}:443${ATTACK}`, `Host: ${other}:443`],
      [ATTACK, `Host: ${STRICT}\r\nHost: ${other}`],
      [ATTACK, `Host: ${other}\r\nHost: ${STRICT}`],
      [ATTACK, `Host: ${STRICT},${other}`],
      [ATTACK, `Host: ${STRICT}\r\nX-Forwarded-Host: ${other}`],
      [ATTACK, `Host: x.${other}`],
    ] as const) {
      for (const to of [port, enginePort]) {
        const status = await send(target, lines, to);
        assert.ok([400, 403, 421].includes(status), `${status} for ${target} ${lines}`);
      }
    }
  }
});
