// `npm run dev`: a server that starts again when its sources change, and the console with hot replacement in front of it, on a store of
// its own (./reeve-dev) with a team in it. Prints a link that signs in. `npm run dev -- --port 5200` takes another port; the server and
// the receiver of webhooks take the two after it.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, watch } from "node:fs";
import { createServer, request as sendRequest } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import react from "@vitejs/plugin-react";
import { createServer as createVite } from "vite";
import type { Plugin, ViteDevServer } from "vite";
import { commandLine, seed } from "./seed.ts";

const ROOT = join(import.meta.dirname, "..");
const PROGRAM = join(ROOT, "bin/reeve.js");
const TOKEN = "the_token_of_a_developer_who_runs_reeve_here";
const BASE = "/console/";
const SETTLE_MS = 200;
/** What Vite makes of the console's sources, below its base. */
const OF_VITE = /^(?:@|__|node_modules\/|.*\.(?:tsx?|css|svg|map)(?:\?|$))/;

const { values } = parseArgs({ options: { port: { type: "string", default: "5173" } } });
const port = Number(values.port);
const [serverPort, receiverPort] = [port + 1, port + 2];
const server = `http://localhost:${serverPort}`;
const env = {
  ...process.env,
  REEVE_DATA_DIR: join(ROOT, "reeve-dev"),
  REEVE_PORT: String(serverPort),
  REEVE_PUBLIC_URL: `http://localhost:${port}`,
  REEVE_BOOTSTRAP_TOKEN: TOKEN,
  REEVE_EGRESS_ALLOW: "127.0.0.1,localhost",
  REEVE_LOG_LEVEL: "warn",
};

const runReeve = commandLine(env);

/** Passes a request on to the server. Where that sends the console's page, Vite's own takes its place. */
function passOn(vite: ViteDevServer, request: IncomingMessage, response: ServerResponse): void {
  const isPage = request.method === "GET" && (request.headers.accept ?? "").includes("text/html");
  // A page is read here, so it has to be plain.
  const headers = isPage ? { ...request.headers, "accept-encoding": "identity" } : request.headers;
  const options = { port: serverPort, method: request.method, path: request.url, headers };
  const passed = sendRequest(options, (answer) => {
    if (isPage && answer.headers["content-type"]?.startsWith("text/html")) return void sendPage(vite, answer, response);
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  passed.on("error", () => response.writeHead(503).end("The server starts again; reload the page."));
  request.pipe(passed);
}

async function sendPage(vite: ViteDevServer, answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const page = await text(answer);
  const isApp = page.includes('<div id="app">');
  const { "content-length": _length, ...kept } = answer.headers;
  // Vite adds scripts that the server's policy forbids.
  if (isApp) delete kept["content-security-policy"];
  response.writeHead(answer.statusCode ?? 502, kept);
  response.end(isApp ? await renderApp(vite) : page);
}

async function renderApp(vite: ViteDevServer): Promise<string> {
  const source = readFileSync(join(ROOT, "console/index.html"), "utf8");
  return await vite.transformIndexHtml("/index.html", source.replace("<head>", `<head><base href="${BASE}" />`));
}

const inFrontOfServer: Plugin = {
  name: "reeve",
  configureServer(vite) {
    vite.middlewares.use((request, response, next) => {
      const url = request.url ?? "";
      if (url.startsWith(BASE) && OF_VITE.test(url.slice(BASE.length))) next();
      else passOn(vite, request, response);
    });
  },
};

async function untilReady(): Promise<void> {
  for (;;) {
    const answer = await fetch(`${server}/health/ready`).catch(() => null);
    if (answer?.ok) return;
    if (child.exitCode !== null) throw new Error("the server has ended");
    await sleep(100);
  }
}

function startServer(): ChildProcess {
  return spawn(process.execPath, [PROGRAM, "serve"], { cwd: ROOT, env, stdio: ["ignore", "ignore", "inherit"] });
}

let child = startServer();
/** Starts the server again when its sources have changed, once for all that are saved together. Node's own watching talks to threads. */
async function restart(): Promise<void> {
  const ended = child.exitCode === null ? once(child, "exit") : undefined;
  child.kill();
  await ended;
  child = startServer();
}
let due: NodeJS.Timeout | undefined;
watch(join(ROOT, "src"), { recursive: true }, (_event, file) => {
  if (!file?.endsWith(".ts") || file.endsWith(".test.ts")) return;
  clearTimeout(due);
  due = setTimeout(() => void restart(), SETTLE_MS);
});
process.on("exit", () => child.kill());
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(0));

createServer((request, response) => {
  request.resume();
  response.writeHead(request.url === "/broken" ? 500 : 204).end();
}).listen(receiverPort, "127.0.0.1");

await untilReady();
const isNew = await seed({
  server,
  token: TOKEN,
  receiver: `http://localhost:${receiverPort}`,
  runReeve,
});
const vite = await createVite({
  configFile: join(ROOT, "console/vite.config.ts"),
  base: BASE,
  plugins: [react(), inFrontOfServer],
  server: { port, strictPort: true },
  logLevel: "warn",
});
await vite.listen();
const link = JSON.parse(await runReeve("user", "sign-in-link", "owner", "--json")) as { readonly url: string };
process.stdout.write(
  `${isNew ? "Made the team acme.\n" : ""}Console  http://localhost:${port}/console/\nSign in  ${link.url}\nAPI      ${server}, token ${TOKEN}\n`,
);
