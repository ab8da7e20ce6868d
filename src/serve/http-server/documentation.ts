// Serves the documentation that `npm run build` makes (tools/documentation). It lies in the package compressed: most readers accept that.
import { hash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { acceptsEncoding } from "../../platform/http/requests/accept.ts";
import { headerOf } from "../../platform/http/requests/operation-request.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { entityTag, namesTag } from "../../platform/kernel/revision.ts";

const decompress = promisify(brotliDecompress);

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
  ".png": "image/png",
};

/** Everything comes from this server. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
  vary: "accept-encoding",
};

interface File {
  readonly contentType: string;
  readonly bytes: Buffer;
  readonly isCompressed: boolean;
  readonly tag: string;
}

export interface Documentation {
  /** A page by its name, or another file; undefined: there is none. */
  find(name: string): File | undefined;
}

/** Reads what is in the folder, each file at its first request; null: it was not built. */
export function openDocumentation(folder: string): Documentation | null {
  if (!existsSync(join(folder, "index.html.br"))) return null;
  const stored = new Set(readdirSync(folder));
  const files = new Map<string, File>();
  function read(name: string): File {
    const isCompressed = !stored.has(name);
    const bytes = readFileSync(join(folder, isCompressed ? `${name}.br` : name));
    const tag = hash("sha256", bytes, "base64url").slice(0, 22);
    return { contentType: TYPES[extname(name)] ?? "application/octet-stream", bytes, isCompressed, tag };
  }
  return {
    find(asked) {
      const name = [asked, `${asked || "index"}.html`].find((one) => stored.has(one) || stored.has(`${one}.br`));
      if (name === undefined || name.endsWith(".br")) return undefined;
      const file = files.get(name) ?? read(name);
      files.set(name, file);
      return file;
    },
  };
}

export async function serveDocumentation(
  documentation: Documentation | null,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { page = "" } = request.params as { readonly page?: string };
  const file = documentation?.find(page);
  if (!file) throw new ApiError("not_found", "There is no such page of the documentation: /docs/ lists them");
  const isSentCompressed = file.isCompressed && acceptsEncoding(request.headers["accept-encoding"], "br");
  // A cache must not take one of the two for the other.
  const etag = entityTag(isSentCompressed ? file.tag : `${file.tag}-plain`);
  reply.headers({ ...HEADERS, etag, ...(isSentCompressed && { "content-encoding": "br" }) });
  if (namesTag(headerOf(request, "if-none-match") ?? "", etag)) return reply.code(304).send();
  const bytes = file.isCompressed && !isSentCompressed ? await decompress(file.bytes) : file.bytes;
  return reply.header("content-type", file.contentType).send(bytes);
}
