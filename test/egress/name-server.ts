// A DNS server on loopback, over UDP: it responds as a test wants, and records its questions.
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { SocketAddress } from "node:net";
import { after } from "node:test";

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const;
export type RecordType = keyof typeof TYPES;

export interface Question {
  readonly name: string;
  readonly type: string;
}

export interface Answered {
  readonly type: RecordType;
  readonly value: string;
  /** The name of the record; the name of the question when absent. */
  readonly name?: string;
}

/** Records, of which there may be none of the type; a failure; or no response at all. */
export type Answer = readonly Answered[] | "no such name" | "failure" | "silence";

export interface NameServer {
  /** As a setting names it. */
  readonly address: string;
  readonly questions: readonly Question[];
  answer: (question: Question) => Answer;
}

const CODES = { "no such name": 3, failure: 2 } as const;

function uint16(...values: number[]): Buffer {
  return Buffer.from(values.flatMap((value) => [value >> 8, value & 0xff]));
}

function encodeName(name: string): Buffer {
  const labels = name.split(".").filter((label) => label !== "");
  return Buffer.concat([
    ...labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, "latin1")),
    Buffer.from([0]),
  ]);
}

function encodeAddress(type: RecordType, value: string): Buffer {
  if (type === "CNAME") return encodeName(value);
  if (type === "A") return Buffer.from(value.split(".").map(Number));
  // In canonical form; the tests need no dots in IPv6.
  const { address } = new SocketAddress({ address: value, family: "ipv6" });
  const [head = [], tail = []] = address.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return uint16(...[...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16)));
}

function encodeRecord(question: Question, { type, value, name = question.name }: Answered): Buffer {
  const data = encodeAddress(type, value);
  // Class IN, no time to live.
  return Buffer.concat([encodeName(name), uint16(TYPES[type], 1, 0, 0, data.length), data]);
}

/** The question of a query, and where it ends. */
function readQuestion(query: Buffer): Question & { readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const code = query.readUInt16BE(at + 1);
  const type = Object.entries(TYPES).find(([, known]) => known === code)?.[0] ?? String(code);
  return { name: labels.join("."), type, end: at + 5 };
}

/** Starts on a free port, and stops after the file's tests. */
export async function startNameServer(answer: NameServer["answer"]): Promise<NameServer> {
  const socket = createSocket("udp4");
  const questions: Question[] = [];
  socket.on("message", (query, { port, address }) => {
    const { end, ...question } = readQuestion(query);
    questions.push(question);
    const answered = server.answer(question);
    if (answered === "silence") return;
    const records = typeof answered === "string" ? [] : answered;
    const code = typeof answered === "string" ? CODES[answered] : 0;
    // A response, with recursion available.
    const header = Buffer.concat([query.subarray(0, 2), uint16(0x8180 | code, 1, records.length, 0, 0)]);
    const sections = [header, query.subarray(12, end), ...records.map((record) => encodeRecord(question, record))];
    socket.send(Buffer.concat(sections), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  after(() => socket.close());
  const server: NameServer = { address: `127.0.0.1:${socket.address().port}`, questions, answer };
  return server;
}
