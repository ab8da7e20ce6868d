// A progress bar on the last line of a terminal. It goes to standard error, and not into files and pipes.

const WIDTH = 30;

export interface Progress {
  show(done: number, total: number): void;
  /** Clears the line. */
  end(): void;
}

export function createProgress(label: string, terminal: NodeJS.WriteStream = process.stderr): Progress {
  if (!terminal.isTTY) return { show: () => undefined, end: () => undefined };
  return {
    show(done, total) {
      const share = total === 0 ? 1 : done / total;
      const bar = "#".repeat(Math.round(share * WIDTH)).padEnd(WIDTH, ".");
      terminal.write(`\r${label} [${bar}] ${Math.floor(share * 100)} %  ${done} of ${total}`);
    },
    end: () => terminal.write("\r\u001B[2K"),
  };
}
