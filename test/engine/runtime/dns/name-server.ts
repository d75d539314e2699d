/** A name server on loopback (RFC 1035 §4), and the two files of a machine that a resolver reads. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ResolverFiles } from "../../../../src/engine/runtime/dns/stub-resolver.ts";

/**
 * Addresses, or how the server fails. A name that is not listed does not exist. `CNAME` in a list: the answer begins with
 * a CNAME record, whose target has the addresses.
 */
export type Zone = Record<string, readonly string[] | "silent" | keyof typeof rcodes>;

const rcodes = { FORMERR: 1, SERVFAIL: 2, NOTIMP: 4, REFUSED: 5 };
const target = Buffer.from("\x02lb\x04test\x00", "latin1");
const types = { 1: "A", 28: "AAAA" } as const;

type NameServer = {
  /** `address:port`. */
  readonly server: string;
  /** Questions in the order in which they came, such as `A crm.example`. */
  readonly asked: string[];
  /** May be changed at any time. A key such as `AAAA crm.example` counts before the name alone. */
  readonly zone: Zone;
  ttl: number;
  /** From the first query of a question until it is answered, as by a server that asks others first. */
  delayMs: number;
};

export async function nameServer(zone: Zone = {}, address = "127.0.0.1"): Promise<NameServer> {
  const socket = createSocket("udp4");
  socket.bind(0, address);
  await once(socket, "listening");
  let isClosed = false;
  onTestFinished(() => {
    isClosed = true;
    socket.close();
  });
  const firstAt = new Map<string, number>();
  const server: NameServer = {
    ...{ server: `${address}:${socket.address().port}`, asked: [], zone, ttl: 60, delayMs: 0 },
  };
  socket.on("message", (query, client) => {
    const { name, type, end } = readQuestion(query);
    const question = `${type} ${name}`;
    server.asked.push(question);
    const known = server.zone[question] ?? server.zone[name];
    if (known === "silent") return;
    const answer = answerTo(query.subarray(0, end), type, known, server.ttl);
    const now = performance.now();
    const at = (firstAt.get(question) ?? now) + server.delayMs;
    firstAt.set(question, at - server.delayMs);
    setTimeout(() => {
      if (!isClosed) socket.send(answer, client.port, client.address);
    }, at - now);
  });
  return server;
}

function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = types[query.readUInt16BE(at + 1) as keyof typeof types];
  return { name: labels.join(".").toLowerCase(), type, end: at + 5 };
}

function answerTo(
  question: Buffer,
  type: "A" | "AAAA",
  known: Exclude<Zone[string], "silent"> | undefined,
  ttl: number,
): Buffer {
  const isList = Array.isArray(known);
  const addresses = isList
    ? known.filter((each) => each !== "CNAME" && isIPv6(each) === (type === "AAAA"))
    : [];
  const hasAlias = isList && known.includes("CNAME");
  const header = Buffer.from(question.subarray(0, 12));
  const rcode = known === undefined ? 3 : isList ? 0 : rcodes[known as keyof typeof rcodes];
  header.writeUInt16BE(0x8180 | rcode, 2); // a response, recursion desired and available
  header.fill(0, 6, 12);
  header.writeUInt16BE(addresses.length + Number(hasAlias), 6);
  const asked = Buffer.from([0xc0, 0x0c]); // the name of the question
  const records = addresses.map((address) => {
    const data = type === "A" ? Buffer.from(address.split(".").map(Number)) : bytesOfIPv6(address);
    return recordOf(hasAlias ? target : asked, type === "A" ? 1 : 28, ttl, data);
  });
  const alias = hasAlias ? [recordOf(asked, 5, ttl, target)] : [];
  return Buffer.concat([header, question.subarray(12), ...alias, ...records]);
}

function recordOf(name: Buffer, type: number, ttl: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt32BE(ttl, 4);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([name, head, data]);
}

function bytesOfIPv6(address: string): Buffer {
  const [head = "", tail = ""] = address.split("::");
  const groups = (text: string): string[] => (text === "" ? [] : text.split(":"));
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill("0");
  return Buffer.from(
    [...groups(head), ...zeros, ...groups(tail)].map((group) => group.padStart(4, "0")).join(""),
    "hex",
  );
}

/** Files of a machine, and its name servers. */
export function machine(servers: readonly string[], resolvConf = "search .\n", hosts = ""): ResolverFiles {
  const folder = mkdtempSync(join(tmpdir(), "names-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = { hostsFile: join(folder, "hosts"), resolvConf: join(folder, "resolv.conf"), servers };
  writeFileSync(files.hostsFile, hosts);
  writeFileSync(files.resolvConf, resolvConf);
  return files;
}
