/**
 * The deferred parts of a response (GraphQL's incremental delivery).
 *
 * A part contains the fields of one object that are deferred by the same `@defer` directives. The parts of a level run together,
 * so that `@defer` splits no batch of REST calls. The data of a part is in a wrapper, which keeps nulls and errors from
 * propagating further.
 *
 * A fragment is one `@defer` directive at one object. A fragment is announced when the fragment around it is complete, and is
 * complete when all its parts are.
 */
import { CodedError } from "../../coded-error.ts";
import { mostDeferredParts } from "../../settings/capacity.ts";
import { FieldError, type Path, pathKeys } from "../errors/field-error.ts";
import {
  type BoundFieldPlan,
  type DeferUsage,
  deferredKey,
  type LevelParents,
  type ParentsByPlan,
  type ResultMap,
  toError,
} from "./plan.ts";
import { type Position, type Positions, rootOf } from "./positions.ts";
import { type ResponseBudget, spend } from "./response-budget.ts";

export type Fragment = {
  readonly id: string;
  readonly label: string | undefined;
  readonly path: Path | undefined;
  readonly parts: Part[];
  readonly children: Fragment[];
  readonly place: Place;
};

export type Part = {
  /** Contains the part's data under `deferredKey`: null if the part has failed. */
  readonly wrapper: ResultMap;
  readonly path: Path | undefined;
  readonly errors: FieldError[];
  readonly fragments: readonly Fragment[];
  readonly place: Place;
  isDone: boolean;
};

/**
 * Returns the labels of the parts' fragments. A fragment without a label is described by its path with `[]` in place of each
 * index. The fragments in all items of a list therefore have the same description.
 */
export function describeParts(parts: readonly Part[]): string {
  const names = parts.flatMap(({ fragments }) =>
    fragments.map(({ label, path }) => label ?? (pathText(path) || "the root")),
  );
  return [...new Set(names)].join(", ");
}

const pathText = (path: Path | undefined): string =>
  pathKeys(path)
    .map((key) => (typeof key === "number" ? "[]" : `.${key}`))
    .join("")
    .slice(1);

/** A level that completes deferred parts. Its values are its parents, to be completed into the parts' wrappers. */
export type DeferredLevel = Pick<LevelParents, "resultMaps" | "enclosing"> & {
  readonly field: BoundFieldPlan;
  readonly parents: readonly unknown[];
  readonly above: undefined;
  readonly parts: readonly Part[];
};

type Place = { readonly object: object; readonly position: Position | undefined };

/** The changes since the previous payload of the response. */
export type Payload = {
  readonly pending: readonly Fragment[];
  /** The complete parts. Each is sent with the id of `fragment`, the part's announced fragment with the longest path. */
  readonly parts: readonly { readonly part: Part; readonly fragment: Fragment }[];
  /** The complete fragments. `errors` is empty unless the fragment failed. */
  readonly completed: readonly { readonly fragment: Fragment; readonly errors: readonly FieldError[] }[];
  readonly hasNext: boolean;
};

/** Estimated bytes of a part in addition to its data. */
const bytesPerPart = 200;

export class Deferral {
  readonly #run: (level: DeferredLevel) => Promise<void>;
  readonly #parts = new Map<object, Part>();
  /** The fragments by `@defer` directive, and then by object. */
  readonly #fragments = new Map<DeferUsage, Map<object, Fragment | undefined>>();
  readonly #outermost: Fragment[] = [];
  readonly #announced = new Set<Fragment>();
  /** The deferred levels of a mutation. They start when all writes are done and the first part of the response is complete. */
  #waiting: DeferredLevel[] | undefined;
  #data: ResultMap | null = null;
  #first: readonly Fragment[] = [];
  #fragmentCount = 0;
  readonly #sent = new Set<Part>();
  #settled = Promise.withResolvers<void>();

  /** `run` completes a level and the levels below it. */
  constructor(isSerial: boolean, run: (level: DeferredLevel) => Promise<void>) {
    this.#run = run;
    if (isSerial) this.#waiting = [];
  }

  partOf(wrapper: object): Part | undefined {
    return this.#parts.get(wrapper);
  }

  /** Rejects with `LIMIT_EXCEEDED` for too many parts, or with `ResponseTooLarge`. */
  async begin(budget: ResponseBudget, objects: ParentsByPlan, positions: Positions): Promise<void> {
    for (const found of objects)
      for (const usage of found?.plan.deferral?.introduces ?? []) {
        const introduced = this.#fragments.get(usage) ?? new Map<object, undefined>();
        this.#fragments.set(usage, introduced);
        for (const object of found?.resultMaps ?? []) introduced.set(object, undefined);
      }
    for (const found of objects) {
      if (!found?.plan.deferral || found.resultMaps.length === 0) continue;
      const { plan, sources: parents, resultMaps, enclosing } = found;
      for (const { field, usages } of plan.deferral?.plans ?? []) {
        const parts = resultMaps.map((object) => {
          const place = { object, position: positions.get(object) };
          return this.#createPart(budget, place, usages);
        });
        const wrappers = parts.map(({ wrapper }) => wrapper);
        this.#start({ field, parents, resultMaps: wrappers, enclosing, above: undefined, parts });
      }
    }
  }

  #createPart(budget: ResponseBudget, place: Place, usages: readonly DeferUsage[]): Part {
    if (this.#parts.size === mostDeferredParts)
      throw new CodedError(
        "LIMIT_EXCEEDED",
        `a response may have at most ${mostDeferredParts} deferred parts`,
      );
    const fragments = usages.flatMap((usage) => this.#fragmentOf(usage, place) ?? []);
    for (const { label = "" } of fragments) spend(budget, bytesPerPart + label.length);
    const { position } = place;
    const wrapper = { [deferredKey]: null };
    const part: Part = { wrapper, path: position?.path, errors: [], fragments, place, isDone: false };
    this.#parts.set(wrapper, part);
    for (const fragment of fragments) fragment.parts.push(part);
    return part;
  }

  /** Returns the fragment of a `@defer` directive at the object, or else at the nearest enclosing object that has it. */
  #fragmentOf(usage: DeferUsage, from: Place): Fragment | undefined {
    const introduced = this.#fragments.get(usage);
    for (const place of this.#around(from)) {
      if (!introduced?.has(place.object)) continue;
      const existing = introduced.get(place.object);
      if (existing) return existing;
      const parent = usage.parent && this.#fragmentOf(usage.parent, place);
      const { label } = usage;
      const path = place.position?.path;
      const id = String(this.#fragmentCount++);
      const fragment: Fragment = { id, label, path, parts: [], children: [], place };
      introduced.set(place.object, fragment);
      (parent ? parent.children : this.#outermost).push(fragment);
      return fragment;
    }
    return undefined;
  }

  /** Yields the given place, and then the places of all enclosing objects and lists, even those outside a deferred part. */
  *#around(from: Place): Iterable<Place> {
    for (let place: Place | undefined = from; place; ) {
      yield place;
      const { position, object } = place as Place;
      place = position
        ? { object: position.container, position: position.up }
        : this.#parts.get(object)?.place;
    }
  }

  #start(level: DeferredLevel): void {
    if (this.#waiting) {
      this.#waiting.push(level);
      return;
    }
    const { parts } = level;
    const end = (): void => {
      for (const part of parts) part.isDone = true;
      this.#settled.resolve();
    };
    this.#run(level).then(end, (error) => {
      for (const part of parts) {
        part.wrapper[deferredKey] = null;
        part.errors.splice(0, part.errors.length, new FieldError(toError(error), undefined, part.path));
      }
      end();
    });
  }

  /** Called when the first part of the response is complete. Returns whether further parts follow. */
  announce(data: ResultMap | null): boolean {
    this.#data = data;
    const waiting = data ? this.#waiting : undefined;
    this.#waiting = undefined;
    for (const level of waiting ?? []) this.#start(level);
    this.#first = this.#announce(this.#outermost);
    return this.#announced.size > 0;
  }

  /** The fragments that the first part of the response announces. */
  get first(): readonly Fragment[] {
    return this.#first;
  }

  /**
   * Announces fragments, and returns them. Leaves out fragments of objects that a null has replaced. If all parts of a fragment
   * were already sent, announces the fragments nested in it instead.
   */
  #announce(fragments: readonly Fragment[]): Fragment[] {
    return fragments.flatMap((fragment) => {
      if (!this.#isAttached(fragment.place)) return [];
      const parts = fragment.parts.filter(({ place }) => this.#isAttached(place));
      fragment.parts.splice(0, fragment.parts.length, ...parts);
      if (parts.every((part) => this.#sent.has(part))) return this.#announce(fragment.children);
      this.#announced.add(fragment);
      return [fragment];
    });
  }

  #isAttached({ object, position }: Place): boolean {
    const root = rootOf(object, position);
    if (root === undefined) return false;
    const part = this.#parts.get(root);
    return part ? this.#isAttached(part.place) : root === this.#data;
  }

  /** Whether all parts around the object are complete, so that a null can no longer replace the object. */
  #isFinal({ object, position }: Place): boolean {
    const root = rootOf(object, position);
    const part = root && this.#parts.get(root);
    return !part || (part.isDone && this.#isFinal(part.place));
  }

  /** The payloads that follow the first part of the response. */
  async *payloads(): AsyncGenerator<Payload, void> {
    while (this.#announced.size > 0) {
      const payload = this.#take();
      if (payload) yield payload;
      else await this.#settled.promise;
    }
  }

  /** Returns the last payload, in place of one that cannot be sent. It reports every announced fragment as failed. */
  failed({ pending, completed }: Payload, error: Error): Payload {
    const unknown = new Set(pending);
    const fragments = [...completed.map(({ fragment }) => fragment), ...this.#announced];
    return {
      pending: [],
      parts: [],
      completed: fragments
        .filter((fragment) => !unknown.has(fragment))
        .map((fragment) => ({ fragment, errors: [new FieldError(error, undefined, fragment.path)] })),
      hasNext: false,
    };
  }

  #take(): Payload | undefined {
    this.#settled = Promise.withResolvers();
    const pending: Fragment[] = [];
    const parts: Payload["parts"][number][] = [];
    const completed: Payload["completed"][number][] = [];
    for (const fragment of this.#announced) {
      const attached = fragment.parts.filter(({ place }) => this.#isAttached(place));
      const failed = attached.filter(
        (part) => part.isDone && part.wrapper[deferredKey] === null && this.#isFinal(part.place),
      );
      if (failed.length > 0) completed.push({ fragment, errors: failed.flatMap(({ errors }) => errors) });
      else if (fragment.parts.every(({ isDone }) => isDone)) {
        for (const part of attached) {
          if (this.#sent.has(part)) continue;
          this.#sent.add(part);
          parts.push({ part, fragment: this.#nearest(part, fragment) });
        }
        completed.push({ fragment, errors: [] });
        // the loop also visits the fragments that `#announce` adds to the set
        pending.push(...this.#announce(fragment.children));
      } else continue;
      this.#announced.delete(fragment);
    }
    return completed.length > 0
      ? { pending, parts, completed, hasNext: this.#announced.size > 0 }
      : undefined;
  }

  /** Returns the fragment with the longest path among `given` and the announced fragments that contain the part. */
  #nearest({ fragments }: Part, given: Fragment): Fragment {
    const length = ({ path }: Fragment): number => lengthOf(path);
    return fragments.reduce(
      (best, one) => (this.#announced.has(one) && length(one) > length(best) ? one : best),
      given,
    );
  }
}

const lengthOf = (path: Path | undefined): number => (path ? 1 + lengthOf(path.up) : 0);
