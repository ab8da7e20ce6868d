// Serves the console's app: its page, which is one document for all of its addresses, and its assets. Says what the page may load.
import type { FastifyInstance } from "fastify";
import { ApiError } from "../../platform/kernel/errors.ts";
import { acceptsEncoding } from "../../platform/http/requests/accept.ts";
import type { AppFiles } from "./app-files.ts";
import type { Page } from "../../identity/pages/page.ts";

export function appPage(files: AppFiles): Page {
  return {
    path: "*",
    summary: "The console",
    needsSession: true,
    show: ({ root }) => ({ document: files.renderIndex(root), styleSource: files.styleSource }),
  };
}

/** Everything comes from this server, and no page can show the app in a frame. `base-uri`: see `renderIndex`. */
export const appHeaders = (styleSource: string): Readonly<Record<string, string>> => ({
  "content-security-policy": `default-src 'none'; script-src 'self'; style-src 'self' ${styleSource}; connect-src 'self'; img-src 'self'; font-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'`,
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex",
});

export function addAppAssets(scope: FastifyInstance, files: AppFiles): void {
  scope.get("/console/assets/:name", (request, reply) => {
    const asset = files.findAsset((request.params as { readonly name: string }).name);
    if (!asset)
      throw new ApiError("not_found", "There is no such file; reload the page, its server may have been updated");
    const accepted = request.headers["accept-encoding"];
    const form = asset.forms.find(({ encoding }) => encoding === null || acceptsEncoding(accepted, encoding));
    if (form?.encoding) reply.header("content-encoding", form.encoding);
    return reply
      .headers({
        "content-type": asset.contentType,
        // The name changes with the content.
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
      })
      .send(form?.bytes);
  });
}
