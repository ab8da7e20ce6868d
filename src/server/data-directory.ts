// Who may enter the data directory: its owner alone, also where somebody else has made it.
import { chmodSync, readdirSync, statSync } from "node:fs";
import type { FastifyBaseLogger } from "fastify";

const FOR_OWNER = 0o700;
const FOR_OTHERS = 0o077;
/** Reeve's own files and folders, and what a volume has by itself. */
const OWN = /^(?:reeve\.db.*|master\.key.*|copies|lost\+found)$/;

/**
 * Takes away what others than its owner may do there, and logs it. A folder that holds other things too may be anybody's, such
 * as /tmp: the log says then what to do.
 */
export function narrowDataDir(dataDir: string, logger: Pick<FastifyBaseLogger, "warn">): void {
  const mode = statSync(dataDir, { throwIfNoEntry: false })?.mode ?? FOR_OWNER;
  // Without accounts of this kind the system knows no such modes.
  if ((mode & FOR_OTHERS) === 0 || process.getuid === undefined) return;
  const facts = { dataDir, mode: (mode & 0o7777).toString(8) };
  try {
    const foreign = readdirSync(dataDir).find((name) => !OWN.test(name));
    if (foreign !== undefined) throw new Error(`it holds ${foreign}, which is not Reeve's`);
    chmodSync(dataDir, FOR_OWNER);
    logger.warn(facts, "others than its owner could enter the data directory; its mode is 700 now");
  } catch (error) {
    const { message } = error as Error;
    logger.warn(
      facts,
      `others than its owner may enter the data directory, and it is left so (${message}): give Reeve one that its user owns, with mode 700`,
    );
  }
}
