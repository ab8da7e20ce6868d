// Runs the programs that tests of `deploy/gate/` put in front of an application.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";

export interface RunningProgram {
  /** What it has written so far. */
  output(): string;
}

/** Runs a program until the end of the tests. Fails with what it wrote when it ends before that. */
export function run(program: string, args: readonly string[], environment: object = {}): RunningProgram {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...environment } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  let isStopping = false;
  child.on("exit", (code) => {
    if (!isStopping) throw new Error(`${program} ended with ${code}: ${output}`);
  });
  after(async () => {
    isStopping = true;
    if (child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  });
  return { output: () => output };
}

/** The arguments of an nginx that has everything in this folder. `first` is what stands before its `http`. */
export function nginxWith(folder: string, site: string, first = ""): readonly string[] {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const whole =
    `${first}pid ${folder}/pid; error_log ${folder}/error.log; daemon off; events {}\n` +
    `http { access_log off; large_client_header_buffers 4 32k; ${temporary.join(" ")}\n${site}}`;
  writeFileSync(join(folder, "nginx.conf"), whole);
  return ["-e", join(folder, "error.log"), "-c", join(folder, "nginx.conf")];
}
