// Entry of the writer thread: the catalogue's mutations on the embedded store's one writing connection.
import { workerData } from "node:worker_threads";
import { createCatalogue } from "../catalogue.ts";
import { encodeFailure } from "../http/error-response.ts";
import { openKeyring } from "../keyring/keyring.ts";
import type { KeySources } from "../keyring/keyring.ts";
import { serveWriter } from "../store/writer-thread.ts";
import { runWork } from "./work.ts";
import type { Work } from "./work.ts";

const { file, keySources } = workerData as { readonly file: string; readonly keySources: KeySources };
const catalogue = createCatalogue(openKeyring(keySources));

serveWriter(file, (tx, input) => runWork(catalogue, tx, input as Work), encodeFailure);
