// `npm ci` and `npm install` end with this: it builds the console and the documentation, so that `npm start` can serve them. Where only what
// runs is installed there is nothing to build with, and nothing to build: the package has both.
import { fileURLToPath } from "node:url";

try {
  import.meta.resolve("vite");
} catch {
  process.exit(0);
}
const { buildConsole } = await import("../console/build.ts");
await buildConsole();
const { buildDocumentation } = await import("./documentation/site.ts");
await buildDocumentation(fileURLToPath(new URL("../dist/docs", import.meta.url)));
