/** Clients that send a request body byte by byte. */
import net from "node:net";
import { onTestFinished } from "vitest";

export type Dripping = {
  socket: net.Socket;
  /** All that was answered so far. */
  text: () => string;
  /** Resolves when the server has closed the connection. */
  closed: Promise<void>;
};

/** Begins a POST whose body goes on by one byte every `everyMs`, until the connection or the test ends. */
export function drip(url: URL, path: string, headers: readonly string[] = [], everyMs = 100): Dripping {
  const socket = net.connect(Number(url.port), url.hostname);
  const lines = [`POST ${path} HTTP/1.1`, "Host: a", "Content-Type: application/json", ...headers];
  socket.on("error", () => {}).write(`${lines.join("\r\n")}\r\nContent-Length: 90000\r\n\r\n{`);
  const timer = setInterval(() => socket.writable && socket.write(" "), everyMs);
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.setEncoding("latin1").on("data", (data) => (text += data));
  const closed = new Promise<void>((resolve) =>
    socket.on("close", () => {
      clearInterval(timer);
      resolve();
    }),
  );
  return { socket, text: () => text, closed };
}

export const statuses = (text: string): string[] => text.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];
