// Entry of the writer thread: the catalogue's mutations on the embedded store's one writing connection.
import { enableCompileCache } from "node:module";
import { workerData } from "node:worker_threads";
import type { Work } from "./work.ts";

// A thread does not inherit it.
enableCompileCache();

const { catalogue } = await import("./catalogue.ts");
const { encodeFailure } = await import("./http/error-response.ts");
const { serveWriter } = await import("./store/writer-thread.ts");
const { runWork } = await import("./work.ts");

const { file } = workerData as { readonly file: string };

serveWriter(file, (tx, input) => runWork(catalogue, tx, input as Work), encodeFailure);
