// Entry of the writer thread: the catalogue's mutations on the embedded store's one writing connection.
import { workerData } from "node:worker_threads";
import { catalogue } from "../catalogue.ts";
import { encodeFailure } from "../http/error-response.ts";
import { serveWriter } from "../store/writer-thread.ts";
import { runWork } from "./work.ts";
import type { Work } from "./work.ts";

const { file } = workerData as { readonly file: string };

serveWriter(file, (tx, input) => runWork(catalogue, tx, input as Work), encodeFailure);
