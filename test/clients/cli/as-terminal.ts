// Loaded into a client's process before the client itself: tells it that a person types, for commands that a pipe is
// refused. What is typed comes through the pipe all the same.
Object.defineProperty(process.stdin, "isTTY", { value: true });
