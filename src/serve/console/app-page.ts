// The page of the console's app: one document for all of its addresses.
import type { Page } from "../../identity/pages/page.ts";
import type { AppFiles } from "./app-files.ts";

export function appPage(files: AppFiles): Page {
  return {
    path: "*",
    summary: "The console",
    needsSession: true,
    show: ({ root }) => ({ document: files.renderIndex(root), styleSource: files.styleSource }),
  };
}
