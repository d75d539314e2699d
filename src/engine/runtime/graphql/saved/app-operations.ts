/**
 * Updates the store of saved operations when the manifests of `OPERATIONS_FROM` change. Reports unreadable manifests and invalid
 * operations by app and name; all others are served. An operation that is not valid for the schema is refused when a client
 * requests it, like any invalid document. The check here only reports it earlier.
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

/** Maximum number of log lines about one app. If there are more faults, one more line states how many. */
const mostLines = 20;
/** The check of operations pauses regularly, so that requests can use most of the processor's time. */
const check = { sliceMs: 2, pauseMs: 10 };
/** Time limit for resolving the host of a manifest's URL. The entire fetch has 5 s. */
const lookupMs = 4_000;

export class AppOperations {
  readonly #saved: SavedOperations;
  readonly #log: FastifyBaseLogger;
  readonly #faultOf: (text: string) => string | undefined;
  #state: ManifestState = { manifests: [], faults: [] };
  #refused: readonly RefusedOperation[] = [];
  #invalid: readonly RefusedOperation[] = [];
  /** Maps the text of each checked document to its fault. The fault of a valid document is the empty string. */
  readonly #faults = new Map<string, string>();
  /** Number of checks started so far. When a check starts, any earlier check stops. */
  #checks = 0;
  #applying = Promise.resolve();
  /** The latest state of the manifests, until it is applied. */
  #next: ManifestState | undefined;
  #reported = new Set<string>();
  readonly #dispatcher = new Agent({ connect: tolerantConnector({ lookup: lookupCache.within(lookupMs) }) });
  #stop = (): void => {};

  constructor(saved: SavedOperations, faultOf: (text: string) => string | undefined, log: FastifyBaseLogger) {
    this.#saved = saved;
    this.#log = log;
    this.#faultOf = faultOf;
  }

  /** Resolves when each manifest has been read or has failed. */
  async follow(locations: readonly ManifestLocation[]): Promise<void> {
    if (locations.length === 0) return;
    this.#stop = await watchManifests(
      locations,
      (state) => this.#apply(state),
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
    return [...this.#refused, ...this.#invalid];
  }

  /**
   * The names of apps that have no served operation, because all their manifests are unreadable or exceed the limits. An empty
   * name stands for a folder of apps that is unreadable.
   */
  get unavailable(): ReadonlySet<string> {
    const read = new Set(this.#state.manifests.map(({ app }) => app));
    return new Set(this.faults.flatMap(({ app, keeps }) => (keeps || read.has(app) ? [] : [app])));
  }

  get counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { app, operations } of this.#state.manifests)
      counts.set(app, (counts.get(app) ?? 0) + operations.length);
    return counts;
  }

  /** Applies `state` after the previous one, unless a newer one has arrived by then. */
  #apply(state: ManifestState): Promise<void> {
    if (this.#next === undefined) this.#applying = this.#applying.then(() => this.#applyNext());
    this.#next = state;
    return this.#applying;
  }

  async #applyNext(): Promise<void> {
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
    this.#report();
  }

  /** Checks all operations that apps have saved in the store, and reports the invalid operations. */
  async #check(): Promise<void> {
    const number = ++this.#checks;
    for (const text of this.#faults.keys()) if (!this.#saved.byText(text)) this.#faults.delete(text);
    const invalid: RefusedOperation[] = [];
    const slices = new Slices(check.sliceMs, check.pauseMs);
    for (const { text, owners } of this.#saved.all) {
      if (owners.size === 1 && owners.has(undefined)) continue;
      if (slices.isOver) await slices.next();
      if (number !== this.#checks) return;
      const reason = this.#faults.get(text) ?? this.#faultOf(text) ?? "";
      // stored immediately: the next check can reuse it if this check is interrupted
      this.#faults.set(text, reason);
      if (reason)
        for (const { app, name } of owners.values())
          if (app !== undefined) invalid.push({ app, name, reason });
    }
    this.#invalid = invalid;
    this.#report();
  }

  /** The number of log lines is limited per app, so that one app's faults do not hide another's. */
  #report(): void {
    const reported = new Set<string>();
    for (const [app, all] of Map.groupBy([...this.faults, ...this.refused], (each) => each.app)) {
      const lines = all.slice(0, mostLines).map(lineOf);
      if (all.length > mostLines)
        lines.push([
          { app, count: all.length, written: mostLines },
          "the app has more faults than are logged",
        ]);
      for (const [fields, message] of lines) {
        const key = JSON.stringify(fields);
        if (!this.#reported.has(key)) this.#log.warn(fields, message);
        reported.add(key);
      }
    }
    this.#reported = reported;
  }
}

function lineOf(fault: ManifestFault | RefusedOperation): [fields: object, message: string] {
  if ("name" in fault) {
    const { app, name: operation, reason } = fault;
    return [{ app, operation, reason }, "an app's operation is invalid, and is rejected"];
  }
  const { app, source, reason, keeps } = fault;
  const message = keeps
    ? "a manifest cannot be read: its last valid content is used"
    : "a manifest cannot be read";
  return [{ app, source, reason, keeps }, message];
}

/** Returns a function that returns the first error of an invalid document. `rules` are the rules for requests. */
export const createOperationValidator =
  (schema: GraphQLSchema, rules: readonly ValidationRule[], maxTokens: number) =>
  (text: string): string | undefined => {
    try {
      return validate(schema, parse(text, { maxTokens }), rules, { maxErrors: 1 })[0]?.message;
    } catch (error) {
      return (error as Error).message;
    }
  };
