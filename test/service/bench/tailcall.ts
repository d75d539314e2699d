/**
 * Tailcall, a gateway in Rust, on the same schema: npm has its binary. It needs glibc 2.39. An older Debian runs it with the
 * next release's libc, unpacked beside it and not installed. It has no plan for `nested` that is fair to compare: it calls
 * REST once a contact, or shares calls across requests without a look at their keys.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cache, fetchPackage } from "../../engine/documents/fetch.ts";
import { startProgram } from "../../support/child-process.ts";
import { freePort } from "../../support/free-port.ts";
import type { Server } from "./measure.ts";
import { bodyOf } from "./workloads.ts";

const version = "@tailcallhq/core-linux-x64-gnu@1.6.14";
const binary = "bin/tailcall";

const schema = (port: number, rest: string): string => `
schema
  @server(port: ${port}, hostname: "127.0.0.1", workers: 1, routes: { graphQL: "/v1/graphql" })
  @upstream(allowedHeaders: ["x-api-key"], poolMaxIdlePerHost: 200, tcpKeepAlive: 60) { query: Query }
type Query {
  me: Me @http(url: "${rest}v1/identity/me")
  conversations: [Conversation] @http(url: "${rest}v1/inbox/conversations", select: "{{.items}}")
  agents: [Agent] @http(url: "${rest}v1/ai/agents", select: "{{.items}}")
  contacts(q: String): [Contact] @http(url: "${rest}v1/crm/contacts", query: [{ key: "q", value: "{{.args.q}}" }], select: "{{.items}}")
  metrics(from: String!, to: String!): [Metric]
    @http(url: "${rest}v1/insights/metrics", query: [{ key: "from", value: "{{.args.from}}" }, { key: "to", value: "{{.args.to}}" }], select: "{{.items}}")
}
type Me { id: String! email: String! tenantId: String! roles: [String!]! permissions: [String!]! features: [String!]! }
type Conversation { id: String! channel: String! subject: String! unreadCount: Int! tags: [String!]! createdAt: String! lastMessageAt: String! }
type Agent { id: String! name: String! email: String! skills: [String!]! }
type Contact { id: String! name: String! email: String! company: String! tags: [String!]! createdAt: String! }
type Metric { name: String! total: Float! points: [Point!]! }
type Point { date: String! value: Float! }
`;

/** The command line that starts the binary. Throws where it cannot be had. */
function install(): [command: string, ...args: string[]] {
  const file = join(fetchPackage(version, binary), binary);
  chmodSync(file, 0o755);
  const runs = (...[command, ...args]: [string, ...string[]]): boolean => {
    try {
      execFileSync(command, [...args, "--version"], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  if (runs(file)) return [file];
  const folder = join(cache, "trixie-libc");
  const libraries = join(folder, "usr/lib/x86_64-linux-gnu");
  if (!existsSync(libraries)) unpackLibc(folder);
  const loaded: [string, ...string[]] = [
    join(libraries, "ld-linux-x86-64.so.2"),
    "--library-path",
    libraries,
    file,
  ];
  if (runs(...loaded)) return loaded;
  throw new Error("its binary does not run here");
}

/** apt with lists of its own: nothing of this system's packages changes. */
function unpackLibc(folder: string): void {
  const apt = join(folder, "apt");
  for (const name of ["lists/partial", "archives/partial", "parts"])
    mkdirSync(join(apt, name), { recursive: true });
  const source = `awk 'NF==0{exit} {print}' /etc/apt/sources.list.d/debian.sources | sed 's/^Suites:.*/Suites: trixie/' > parts/next.sources`;
  const options = `-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=${apt}/parts -o Dir::State::lists=${apt}/lists -o Dir::Cache=${apt} -o APT::Get::List-Cleanup=0`;
  const fetch = `apt-get ${options} update -qq && apt-get ${options} download -qq libc6 libgcc-s1`;
  execFileSync("sh", ["-ec", `${source}; ${fetch}; for one in *.deb; do dpkg-deb -x "$one" ..; done`], {
    cwd: apt,
    stdio: ["ignore", "ignore", "pipe"],
  });
}

/** Starts it on core 0. Throws, with the reason, where it cannot be had. */
export async function startTailcall(rest: URL): Promise<Server> {
  const [executable, ...args] = install();
  const port = await freePort();
  const config = join(cache, `tailcall-${port}.graphql`);
  writeFileSync(config, schema(port, rest.href));
  const began = performance.now();
  const environment = { TAILCALL_TRACKER: "false", TC_TRACKER: "false", TAILCALL_LOG_LEVEL: "error" };
  const program = startProgram([...args, "start", config], environment, { core: 0, executable });
  const url = new URL(`http://127.0.0.1:${port}/v1/graphql`);
  const headers = { "content-type": "application/json", "x-api-key": "key" };
  const answers = (): Promise<boolean> =>
    fetch(url, { method: "POST", headers, body: bodyOf("me") }).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await answers())) {
    if (program.child.exitCode !== null) throw new Error(`it ended: ${program.output()}`);
    await sleep(20);
  }
  return { ...program, url, readyMs: performance.now() - began };
}
