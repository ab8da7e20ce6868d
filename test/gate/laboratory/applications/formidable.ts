// An application on node:http whose bodies formidable reads.
import type { IncomingMessage, RequestListener } from "node:http";
import { Writable } from "node:stream";
import { formidable } from "formidable";
import { Readings } from "./readings.ts";

async function read(message: IncomingMessage): Promise<Readings> {
  const readings = new Readings();
  readings.addHeaders(message.headers);
  const contents = new Map<unknown, Buffer[]>();
  const form = formidable({
    allowEmptyFiles: true,
    minFileSize: 0,
    fileWriteStreamHandler(file) {
      const chunks: Buffer[] = [];
      contents.set(file, chunks);
      return new Writable({
        write(chunk: Buffer, _encoding, done) {
          chunks.push(chunk);
          done();
        },
      });
    },
  });
  // A part with an encoding and no type would end the process.
  const onPart = form.onPart.bind(form) as (part: unknown) => unknown as (part: unknown) => Promise<void>;
  const report = (error: unknown) => void form.emit("error", error);
  Object.assign(form, { onPart: (part: unknown) => onPart(part).catch(report) });
  try {
    const [fields, files] = await form.parse(message);
    readings.add("body", [], fields, message.headers["content-type"]?.includes("form") ?? false);
    for (const [name, list] of Object.entries(files)) {
      for (const file of list ?? [])
        readings.addFile(name, file.originalFilename, Buffer.concat(contents.get(file) ?? []));
    }
  } catch {
    // It answers 400.
  }
  message.resume();
  return readings;
}

export const formidableApplication: RequestListener = (message, res) => {
  res.setHeader("content-type", "application/json");
  void read(message).then(({ all }) => res.end(JSON.stringify(all)));
};
