/** The value that a project hands to a start: the code generated for its API and, if it has one, a REST platform of its own. */
import type { FastifyInstance } from "fastify";
import type { Samples } from "../runtime/graphql/explorer/explorer.ts";
import type { GeneratedApi } from "../runtime/rest/generated-api.ts";
import type { Config } from "../runtime/settings/config.ts";

export type Service = {
  /** The name that the process says in its messages and traces. */
  readonly name: string;
  /** The project's folder, which holds `package.json` and, unless an installation leaves it out, `spec/`. */
  readonly root: string;
  /** Variables that the environment may override. */
  readonly defaults?: Readonly<Record<string, string>>;
  readonly api: () => Promise<GeneratedApi>;
  /** The role `platform`, loaded only where it runs. Absent: the roles are `gateway` and `graphql`. */
  readonly platform?: () => Promise<Platform>;
};

/** A REST platform that stands in for the real one, in the same process. */
export type Platform = {
  /** Makes the role's server, which does not listen yet. Throws `ConfigError`. */
  readonly create: (config: Config, specHash: string) => Promise<FastifyInstance>;
  /** Where it answers key introspection (RFC 7662) to a gateway in the same process. */
  readonly keyIntrospection: string;
  /** Values that the explorer opens with. */
  readonly samples: (config: Config) => Samples;
  /** Adds pages, such as a dashboard, to the server in front, before it listens. */
  readonly addPages: (front: FastifyInstance, config: Config) => void;
  /** The lines that a start prints last, outside production: demo keys, a request to try. */
  readonly welcome: (config: Config, origin: string) => readonly string[];
};
