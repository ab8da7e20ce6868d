// `npm ci` and `npm install` end with this: it builds the console, so that `npm start` can serve it. Where only what runs is
// installed there is nothing to build with, and nothing to build: the package has the console.
try {
  import.meta.resolve("vite");
} catch {
  process.exit(0);
}
const { buildConsole } = await import("./build.ts");
await buildConsole();
