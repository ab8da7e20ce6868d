// Sends what no client of HTTP sends.
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";

/** Sends bytes as they are and returns what came until the connection ended. `sni` is the name of a TLS connection; null: there is none. */
export function sendRaw(port: number, text: string, sni: string | null = null): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket =
      sni === null
        ? connect(port, "127.0.0.1")
        : connectTls({
            port,
            host: "127.0.0.1",
            servername: sni,
            rejectUnauthorized: false,
            ALPNProtocols: ["http/1.1"],
          });
    let received = "";
    socket.on("data", (data: Buffer) => (received += data.toString("latin1")));
    socket.once("error", (error) => (received === "" ? reject(error) : resolve(received)));
    socket.once("close", () => resolve(received));
    socket.write(Buffer.from(text, "latin1"));
  });
}
