/** The argument of `serve`: the code generated for an API and, optionally, a stand-in for the REST API in the same process. */
import type { FastifyInstance } from "fastify";
import type { Samples } from "../runtime/graphql/explorer/explorer.ts";
import type { GeneratedApi } from "../runtime/rest/generated-api.ts";
import type { Config } from "../runtime/settings/config.ts";

export type Service = {
  /** The name of the service in messages and traces. */
  readonly name: string;
  /** The project's folder. Contains `package.json` and usually `spec/`, which an installation may omit. */
  readonly root: string;
  /** Values of environment variables that are not set. */
  readonly defaults?: Readonly<Record<string, string>>;
  readonly api: () => Promise<GeneratedApi>;
  /** The `platform` role, which is only loaded if it runs. Without it, the roles are `gateway` and `graphql`. */
  readonly platform?: () => Promise<Platform>;
};

/** A stand-in for the REST platform, in the same process. */
export type Platform = {
  /** Creates the role's server, which does not listen yet. Throws `ConfigError`. */
  readonly create: (config: Config, specHash: string) => Promise<FastifyInstance>;
  /** The path of the platform's key introspection endpoint (RFC 7662), which a gateway in the same process calls. */
  readonly keyIntrospection: string;
  /** The API key and the query variables with which the explorer starts. */
  readonly samples: (config: Config) => Samples;
  /** Adds pages, such as a dashboard, to the server that clients connect to, before it listens. */
  readonly addPages: (front: FastifyInstance, config: Config) => void;
  /** Returns the last lines of the startup message outside production: demo keys and a sample request. */
  readonly welcome: (config: Config, origin: string) => readonly string[];
};
