/**
 * Keeps the store in step with the manifests of `OPERATIONS_FROM`, and tells what cannot be served: a manifest that cannot
 * be read, and an operation that does not fit, by app and name. The others serve on. An operation that does not fit the
 * schema is refused when a client asks for it, as any invalid document is; it is told before.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { type GraphQLSchema, parse, type ValidationRule, validate } from "graphql";
import type { ManifestFault, ManifestState } from "../../manifests/manifests.ts";
import type { ManifestPlace } from "../../manifests/places.ts";
import { watchManifests } from "../../manifests/watch-manifests.ts";
import type { RefusedOperation, SavedOperations } from "./saved-operations.ts";

/** Lines that are written at once; the metric counts the others. */
const mostLines = 20;
/** The check of operations stands beside the requests: a slice at a time. */
const sliceMs = 2;
const pauseMs = 10;

export class AppOperations {
  readonly #saved: SavedOperations;
  readonly #log: FastifyBaseLogger;
  readonly #faultOf: (text: string) => string | undefined;
  #state: ManifestState = { manifests: [], faults: [] };
  #taken: readonly RefusedOperation[] = [];
  #unfit: readonly RefusedOperation[] = [];
  /** The faults of the texts that were checked; empty for a text that fits. */
  #faults = new Map<string, string>();
  /** The checks that were begun. Only the last one goes on. */
  #checks = 0;
  #told = new Set<string>();
  #stop = (): void => {};

  constructor(saved: SavedOperations, faultOf: (text: string) => string | undefined, log: FastifyBaseLogger) {
    this.#saved = saved;
    this.#log = log;
    this.#faultOf = faultOf;
  }

  /** Resolves once every manifest was read or has failed. */
  async follow(places: readonly ManifestPlace[]): Promise<void> {
    if (places.length === 0) return;
    this.#stop = await watchManifests(
      places,
      (state) => this.#take(state),
      (error) => this.#log.warn({ err: error }, "manifests are not watched: they are read every 30 s"),
    );
  }

  close(): void {
    this.#stop();
    this.#checks++;
  }

  get faults(): readonly ManifestFault[] {
    return this.#state.faults;
  }

  get refused(): readonly RefusedOperation[] {
    return [...this.#taken, ...this.#unfit];
  }

  /** The operations in the manifests of each app. */
  get counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { app, operations } of this.#state.manifests)
      counts.set(app, (counts.get(app) ?? 0) + operations.length);
    return counts;
  }

  #take(state: ManifestState): void {
    const before = this.#state.manifests;
    this.#state = state;
    if (before.length !== state.manifests.length || state.manifests.some((each, at) => each !== before[at])) {
      this.#taken = this.#saved.replaceApps(state.manifests);
      void this.#check();
    }
    this.#tell();
  }

  /** Checks the operations of apps that the store has now, and tells of those that do not fit. */
  async #check(): Promise<void> {
    const check = ++this.#checks;
    const faults = new Map<string, string>();
    const unfit: RefusedOperation[] = [];
    let until = performance.now() + sliceMs;
    for (const { text, owners } of this.#saved.all) {
      if (owners.every(({ app }) => app === undefined)) continue;
      if (performance.now() > until) {
        await pause(pauseMs, undefined, { ref: false });
        if (check !== this.#checks) return;
        until = performance.now() + sliceMs;
      }
      const reason = this.#faults.get(text) ?? this.#faultOf(text) ?? "";
      faults.set(text, reason);
      if (reason)
        for (const { app, name } of owners) if (app !== undefined) unfit.push({ app, name, reason });
    }
    this.#faults = faults;
    this.#unfit = unfit;
    this.#tell();
  }

  /** Writes a line for what was not told yet. */
  #tell(): void {
    const lines = [
      ...this.faults.map(({ app, source, reason, keeps }) => ({
        fields: { app, source, reason, keeps },
        message: keeps
          ? "a manifest cannot be read: its last good state serves"
          : "a manifest cannot be read",
      })),
      ...this.refused.map(({ app, name, reason }) => ({
        fields: { app, operation: name, reason },
        message: "an operation is refused",
      })),
    ];
    const keyed = lines.map((line) => ({ ...line, key: JSON.stringify(line.fields) }));
    const news = keyed.filter(({ key }) => !this.#told.has(key));
    for (const { fields, message } of news.slice(0, mostLines)) this.#log.warn(fields, message);
    if (news.length > mostLines)
      this.#log.warn({ count: news.length, written: mostLines }, "manifests have faults");
    this.#told = new Set(keyed.map(({ key }) => key));
  }
}

/** The first reason why a text is not valid. `rules` are those that requests meet. */
export const faultFinder =
  (schema: GraphQLSchema, rules: readonly ValidationRule[], maxTokens: number) =>
  (text: string): string | undefined => {
    try {
      return validate(schema, parse(text, { maxTokens }), rules, { maxErrors: 1 })[0]?.message;
    } catch (error) {
      return (error as Error).message;
    }
  };
