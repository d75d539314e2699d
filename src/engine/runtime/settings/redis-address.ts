/**
 * `REDIS_URL`: one server, the servers behind Sentinel, or a cluster. The forms with several hosts have the syntax of the Java
 * client Lettuce: the hosts are the sentinels, or some nodes of the cluster. A scheme that begins with `rediss` means TLS.
 *
 *     redis://[[user]:password@]host[:port][/database]
 *     redis-sentinel://[[user]:password@]host[:port],host[:port],…[/database]#master
 *     redis-cluster://[[user]:password@]host[:port],host[:port],…
 */

/** A parsed `REDIS_URL`: a `URL` if there is a single server. */
export type RedisAddress = URL | RedisGroup;

const defaultPorts = { sentinel: 26_379, cluster: 6_379 };
const wanted =
  "must be a redis:// URL, redis-sentinel://host:port,host:port#master or redis-cluster://host:port,host:port; rediss… for TLS";

/** Throws an error with the expected format. The error does not quote the text, which may contain a password. */
export function parseRedisAddress(text: string): RedisAddress {
  const [, , kind] = /^(rediss?)(?:-(sentinel|cluster))?:\/\//.exec(text) ?? [];
  if (kind === "sentinel" || kind === "cluster") return new RedisGroup(kind, text);
  const url = URL.parse(text);
  if (!url || !/^rediss?:$/.test(url.protocol)) throw new Error(wanted);
  return url;
}

export class RedisGroup {
  readonly kind: "sentinel" | "cluster";
  readonly isTls: boolean;
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly username: string;
  readonly password: string;
  readonly database: number;
  /** The name of the master that the sentinels monitor; empty for a cluster. */
  readonly master: string;

  constructor(kind: "sentinel" | "cluster", text: string) {
    const form =
      /^(?<scheme>[a-z-]+):\/\/(?:(?<user>[^:@/?#]*):(?<password>[^@/?#]*)@)?(?<hosts>[^@/?#]+)(?:\/(?<database>[0-9]{0,4}))?(?:#(?<master>[\w.-]+))?$/;
    const {
      scheme = "",
      user = "",
      password = "",
      hosts,
      database = "",
      master = "",
    } = form.exec(text)?.groups ?? {};
    if (hosts === undefined) throw new Error(wanted);
    this.kind = kind;
    this.isTls = scheme.startsWith("rediss-");
    this.hosts = hosts.split(",").map((host) => parseHost(host, defaultPorts[kind]));
    this.username = decoded(user);
    this.password = decoded(password);
    this.database = Number(database);
    this.master = master;
    if (kind === "sentinel" && master === "")
      throw new Error("must end with the name of the master, such as #mymaster");
    if (kind === "cluster" && (master !== "" || this.database !== 0))
      throw new Error("must not have a database or # for a cluster");
  }

  /** The address for `--check-config`, without the password. */
  toString(): string {
    const credentials = this.username + this.password === "" ? "" : "(secret)@";
    const hosts = this.hosts
      .map(({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`)
      .join();
    const database = this.database === 0 ? "" : `/${this.database}`;
    const master = this.master === "" ? "" : `#${this.master}`;
    return `redis${this.isTls ? "s" : ""}-${this.kind}://${credentials}${hosts}${database}${master}`;
  }
}

function parseHost(text: string, defaultPort: number) {
  const url = /[\s/@]/.test(text) ? null : URL.parse(`redis://${text}`);
  if (!url || url.hostname === "" || url.pathname !== "") throw new Error(wanted);
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || defaultPort) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("must have %-encoded characters in the user and the password");
  }
}
