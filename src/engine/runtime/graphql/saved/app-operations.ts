/**
 * Keeps the store in step with the manifests of `OPERATIONS_FROM`, and reports what cannot be served: a manifest that cannot
 * be read, and an operation that does not fit, by app and name. The others serve on. An operation that does not fit the
 * schema is refused when a client asks for it, as any invalid document is; it is reported earlier.
 */
import type { FastifyBaseLogger } from "fastify";
import { type GraphQLSchema, parse, type ValidationRule, validate } from "graphql";
import { Agent, fetch } from "undici";
import type { RefusedOperation } from "../../../shared/manifests/manifest-formats.ts";
import type { ManifestLocation } from "../../../shared/manifests/manifest-locations.ts";
import type { ManifestFault, ManifestState } from "../../../shared/manifests/manifests.ts";
import { watchManifests } from "../../../shared/manifests/watch-manifests.ts";
import { Slices } from "../../../shared/slices.ts";
import { lookupCache } from "../../dns/lookup-cache.ts";
import { tolerantConnector } from "../../rest/upstream/upstream-connector.ts";
import type { SavedOperations } from "./saved-operations.ts";

/** The lines of one app, of its first faults; one more has their number. */
const mostLines = 20;
/** The check of operations leaves most of the processor to the requests. */
const check = { sliceMs: 2, pauseMs: 10 };
/** For the name of a manifest's URL. A whole fetch may take 5 s. */
const lookupMs = 4_000;

export class AppOperations {
  readonly #saved: SavedOperations;
  readonly #log: FastifyBaseLogger;
  readonly #faultOf: (text: string) => string | undefined;
  #state: ManifestState = { manifests: [], faults: [] };
  #refused: readonly RefusedOperation[] = [];
  #unfit: readonly RefusedOperation[] = [];
  /** The faults of the texts that were checked; empty for a text that fits. */
  readonly #faults = new Map<string, string>();
  /** The checks that were begun. Only the last one goes on. */
  #checks = 0;
  #building = Promise.resolve();
  /** The next state, if it has not been taken yet. */
  #next: ManifestState | undefined;
  #told = new Set<string>();
  readonly #dispatcher = new Agent({ connect: tolerantConnector({ lookup: lookupCache.within(lookupMs) }) });
  #stop = (): void => {};

  constructor(saved: SavedOperations, faultOf: (text: string) => string | undefined, log: FastifyBaseLogger) {
    this.#saved = saved;
    this.#log = log;
    this.#faultOf = faultOf;
  }

  /** Resolves once every manifest was read or has failed. */
  async follow(places: readonly ManifestLocation[]): Promise<void> {
    if (places.length === 0) return;
    this.#stop = await watchManifests(
      places,
      (state) => this.#take(state),
      (error) => this.#log.warn({ err: error }, "manifests are not watched: they are read every 30 s"),
      (url, init) => fetch(url, { ...init, dispatcher: this.#dispatcher }),
    );
  }

  close(): void {
    this.#stop();
    void this.#dispatcher.destroy();
    this.#checks++;
  }

  get faults(): readonly ManifestFault[] {
    return this.#state.faults;
  }

  get refused(): readonly RefusedOperation[] {
    return [...this.#refused, ...this.#unfit];
  }

  /** The apps of which nothing is served: each manifest was unreadable or beyond the bounds. Empty for a folder of apps. */
  get unread(): ReadonlySet<string> {
    const read = new Set(this.#state.manifests.map(({ app }) => app));
    return new Set(this.faults.flatMap(({ app, keeps }) => (keeps || read.has(app) ? [] : [app])));
  }

  /** The operations in the manifests of each app. */
  get counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { app, operations } of this.#state.manifests)
      counts.set(app, (counts.get(app) ?? 0) + operations.length);
    return counts;
  }

  /** Takes the state after the one that is being taken, unless a newer one has come by then. */
  #take(state: ManifestState): Promise<void> {
    if (this.#next === undefined) this.#building = this.#building.then(() => this.#takeNext());
    this.#next = state;
    return this.#building;
  }

  async #takeNext(): Promise<void> {
    const before = this.#state.manifests;
    const state = this.#next ?? this.#state;
    this.#next = undefined;
    const { manifests } = state;
    if (before.length !== manifests.length || manifests.some((each, at) => each !== before[at])) {
      const unread = manifests.flatMap(({ app, refused }) => refused.map((each) => ({ app, ...each })));
      this.#refused = [...unread, ...(await this.#saved.replaceApps(manifests))];
      void this.#check();
    }
    this.#state = state;
    this.#tell();
  }

  /** Checks the operations of apps in the store, and reports those that do not fit. */
  async #check(): Promise<void> {
    const number = ++this.#checks;
    for (const text of this.#faults.keys()) if (!this.#saved.byText(text)) this.#faults.delete(text);
    const unfit: RefusedOperation[] = [];
    const slices = new Slices(check.sliceMs, check.pauseMs);
    for (const { text, owners } of this.#saved.all) {
      if (owners.size === 1 && owners.has(undefined)) continue;
      if (slices.isOver) await slices.next();
      if (number !== this.#checks) return;
      const reason = this.#faults.get(text) ?? this.#faultOf(text) ?? "";
      // a check that ends before its time leaves what it found to the next one
      this.#faults.set(text, reason);
      if (reason)
        for (const { app, name } of owners.values()) if (app !== undefined) unfit.push({ app, name, reason });
    }
    this.#unfit = unfit;
    this.#tell();
  }

  /** Logs what was not reported yet. Each app has its own lines, so that the faults of one never hide another's. */
  #tell(): void {
    const told = new Set<string>();
    for (const [app, all] of Map.groupBy([...this.faults, ...this.refused], (each) => each.app)) {
      const lines = all.slice(0, mostLines).map(lineOf);
      if (all.length > mostLines)
        lines.push([{ app, count: all.length, written: mostLines }, "an app has more faults"]);
      for (const [fields, message] of lines) {
        const key = JSON.stringify(fields);
        if (!this.#told.has(key)) this.#log.warn(fields, message);
        told.add(key);
      }
    }
    this.#told = told;
  }
}

function lineOf(fault: ManifestFault | RefusedOperation): [fields: object, message: string] {
  if ("name" in fault) {
    const { app, name: operation, reason } = fault;
    return [{ app, operation, reason }, "an operation is refused"];
  }
  const { app, source, reason, keeps } = fault;
  const message = keeps
    ? "a manifest cannot be read: its last good state serves"
    : "a manifest cannot be read";
  return [{ app, source, reason, keeps }, message];
}

/** The first reason why a text is not valid. `rules` are those that requests meet. */
export const createOperationValidator =
  (schema: GraphQLSchema, rules: readonly ValidationRule[], maxTokens: number) =>
  (text: string): string | undefined => {
    try {
      return validate(schema, parse(text, { maxTokens }), rules, { maxErrors: 1 })[0]?.message;
    } catch (error) {
      return (error as Error).message;
    }
  };
