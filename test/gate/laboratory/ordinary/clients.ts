// Real clients that send what they send by default. Each prints the status and the text of every response.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import axios from "axios";

export type Answer = readonly [status: number, text: string];

const FIELDS = { comment: "Gr\u00fc\u00dfe & 3 < 4", "user[role]": "guest", amount: "12.50" };

function formData(): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(FIELDS)) form.append(name, value);
  form.append("photo", new File([Uint8Array.of(0xff, 0xd8, 0xff, 0)], "receipt.jpg", { type: "image/jpeg" }));
  form.append("notes", new File(["3 < 4\n"], "notes \u00fc.txt", { type: "text/plain" }));
  return form;
}

async function sendByFetch(base: string): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const init of [
    { body: new URLSearchParams(FIELDS) },
    { body: formData() },
    { body: JSON.stringify(FIELDS), headers: { "content-type": "application/json" } },
    { body: "just text, with = and &" },
  ]) {
    const response = await fetch(base, { method: "POST", ...init });
    answers.push([response.status, await response.text()]);
  }
  return answers;
}

async function sendByAxios(base: string): Promise<readonly Answer[]> {
  const client = axios.create({ validateStatus: () => true, responseType: "text" });
  const answers = [
    await client.get(base, { params: { a: [1, 2], filter: { open: true } }, headers: { cookie: "session=abc" } }),
    await client.post(base, FIELDS),
    await client.post(base, new URLSearchParams(FIELDS)),
    await client.post(base, formData()),
    await client.postForm(base, { user: { role: "guest" }, tags: ["a", "b"] }),
  ];
  return answers.map(({ status, data }) => [status, data as string]);
}

const runFile = promisify(execFile);

const sendByScript = (program: string, file: string) => async (base: string) => {
  const { stdout } = await runFile(program, [join(import.meta.dirname, file), base]);
  return JSON.parse(stdout) as readonly Answer[];
};

export const CLIENTS: Readonly<Record<string, (base: string) => Promise<readonly Answer[]>>> = {
  "Node.js fetch": sendByFetch,
  axios: sendByAxios,
  "Python urllib": sendByScript("/usr/bin/python3", "client.py"),
  "Ruby net/http": sendByScript("ruby", "client.rb"),
  "PHP streams": sendByScript("php", "client.php"),
};
