/**
 * What a project passes to `serve`: the code generated for its API and, optionally, a stand-in for its REST API that runs in the
 * same process.
 */
import type { FastifyInstance } from "fastify";
import type { Samples } from "../runtime/graphql/explorer/explorer.ts";
import type { GeneratedApi } from "../runtime/rest/generated-api.ts";
import type { Config } from "../runtime/settings/config.ts";

export type Service = {
  /** The name in the process's messages and traces. */
  readonly name: string;
  /** The project's folder, with `package.json` and, unless an installation omits it, `spec/`. */
  readonly root: string;
  /** Defaults of environment variables. */
  readonly defaults?: Readonly<Record<string, string>>;
  readonly api: () => Promise<GeneratedApi>;
  /** The `platform` role, loaded only if it runs. Absent: the roles are `gateway` and `graphql`. */
  readonly platform?: () => Promise<Platform>;
};

/** A REST platform that stands in for the real one, in the same process. */
export type Platform = {
  /** Creates the role's server, which does not listen yet. Throws `ConfigError`. */
  readonly create: (config: Config, specHash: string) => Promise<FastifyInstance>;
  /** Path of its key introspection endpoint (RFC 7662), for a gateway in the same process. */
  readonly keyIntrospection: string;
  /** Initial values of the explorer. */
  readonly samples: (config: Config) => Samples;
  /** Adds pages, such as a dashboard, to the server in front, before it listens. */
  readonly addPages: (front: FastifyInstance, config: Config) => void;
  /** The last lines of the startup message outside production: demo keys, a sample request. */
  readonly welcome: (config: Config, origin: string) => readonly string[];
};
