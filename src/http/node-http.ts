// What is taken of node:http. Importing a built-in module reads everything that it offers, and with one of those things
// node:http loads the whole of `fetch`: 40 ms and 7 MB of a server's start.
export const { STATUS_CODES, createServer } = process.getBuiltinModule("node:http");
