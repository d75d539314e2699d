/**
 * Says which bound fields a new version of a document breaks or endangers. It reads the two documents and the SDL as they
 * stand, and shares no code with `src/`: it holds the comparison of `npm run check` to account.
 */
import { type ConstDirectiveNode, type FieldDefinitionNode, Kind, type TypeNode } from "graphql";
import { isPage, pageSchema, readsOn } from "./pages.ts";
import { Requests } from "./requests.ts";
import { argument, connectionOf, directive, hasDefault, namedType, restName, Sdl } from "./sdl.ts";
import { allowsMore, mayBeNull, mayBeObject } from "./values.ts";
import { type Json, jsonMedia, oneSchema, Reader, type Way } from "./ways.ts";

/** Each schema once. */
const unique = (schemas: readonly unknown[]): unknown[] => [
  ...new Map(schemas.map((each) => [JSON.stringify(each), each])).values(),
];

function successBody(reader: Reader, operation: Json): unknown {
  const answers = Object.entries((operation.responses ?? {}) as Json).filter(([status]) =>
    status.startsWith("2"),
  );
  for (const [, answer] of answers) {
    const content = (reader.resolve(answer).content ?? {}) as Record<string, Json>;
    const media = jsonMedia(content);
    if (media !== undefined) return content[media]?.schema ?? {};
  }
  return undefined;
}

export class Oracle {
  /** Coordinates of fields whose value may be another than before. */
  readonly changed = new Set<string>();
  /** Coordinates of calls that the oracle does not judge. */
  readonly either = new Set<string>();
  readonly sdl: Sdl;
  readonly #old: Reader;
  readonly #new: Reader;
  readonly #requests: Requests;
  readonly #seen = new Set<string>();

  constructor(sdl: string, before: Json, after: Json) {
    this.sdl = new Sdl(sdl);
    this.#old = new Reader(before);
    this.#new = new Reader(after);
    this.#requests = new Requests(this.#old, this.#new);
    for (const { type, field, rest } of this.sdl.calls)
      this.#call(`${type}.${field.name.value}`, field, rest);
  }

  /** A field that calls REST: a root field, or a link below an object. */
  #call(coordinate: string, field: FieldDefinitionNode, rest: ConstDirectiveNode): void {
    const id = argument(rest, "operation") ?? "";
    const before = this.#old.operation(id);
    if (!before) return;
    const named = this.#new.operation(id);
    // an operation with another name breaks its field, and what differs in its response breaks the fields below
    const after = named ?? this.#new.operationAt(before.at);
    if (!named) this.changed.add(coordinate);
    const isGiven = (parameter: string): boolean => hasDefault(field, parameter);
    if (!after || before.at !== after.at || this.#requests.differ(before, after, isGiven))
      this.changed.add(coordinate);
    else if (this.#requests.isLoosened) this.either.add(coordinate);
    if (!after) return;
    const old = successBody(this.#old, before.operation);
    const now = successBody(this.#new, after.operation);
    if ((old === undefined) !== (now === undefined)) this.changed.add(coordinate);
    if (old === undefined || now === undefined) return;
    const page = connectionOf(rest);
    if (page) {
      const both = [pageSchema(this.#old, old, page), pageSchema(this.#new, now, page)] as const;
      // the cursor, or the header that stands for it
      const was = readsOn(this.#old, before.operation, old, page);
      const is = readsOn(this.#new, after.operation, now, page);
      if (was !== is) this.changed.add(coordinate);
      // without a list there is no page: the field tells of all that is made of it
      if (isPage(this.#old, old, page) && !isPage(this.#new, now, page))
        return void this.changed.add(coordinate);
      return this.#value(coordinate, field.type, [both[0]], [both[1]]);
    }
    const steps = argument(rest, "result")?.split(".") ?? [];
    if (isNeverNull(field.type) && !mayBeNull(this.#old, [old]) && mayBeNull(this.#new, [now]))
      this.changed.add(coordinate);
    if (steps.length === 0) this.#value(coordinate, field.type, [old], [now]);
    else this.#steps(coordinate, field.type, steps, [old], [now]);
  }

  #steps(
    coordinate: string,
    type: TypeNode,
    steps: readonly string[],
    old: readonly unknown[],
    now: readonly unknown[],
  ): void {
    const [step = "", ...rest] = steps;
    const below = (reader: Reader, schemas: readonly unknown[]): unknown[] =>
      schemas
        .flatMap((schema) => reader.ways(schema).filter(mayBeObject))
        .flatMap(({ properties: { [step]: found } }) => (found ? [oneSchema(found)] : []));
    const mayMiss = (reader: Reader, schemas: readonly unknown[]): boolean =>
      schemas.some((schema) => reader.ways(schema).some((way) => !way.required.has(step)));
    if (isNeverNull(type) && !mayMiss(this.#old, old) && mayMiss(this.#new, now))
      this.changed.add(coordinate);
    const before = below(this.#old, old);
    const after = below(this.#new, now);
    if (before.length > 0 && after.length === 0) this.changed.add(coordinate);
    // a value that could be missing could be null already
    const couldBeNull = mayMiss(this.#old, old) || mayBeNull(this.#old, before);
    if (isNeverNull(type) && !couldBeNull && mayBeNull(this.#new, after)) this.changed.add(coordinate);
    if (rest.length > 0) this.#steps(coordinate, type, rest, before, after);
    else this.#value(coordinate, type, before, after);
  }

  /** A response may promise more, and never less. */
  #value(coordinate: string, type: TypeNode, old: readonly unknown[], now: readonly unknown[]): void {
    const before = unique(old).flatMap((each) => this.#old.ways(each));
    const after = unique(now).flatMap((each) => this.#new.ways(each));
    if (allowsMore(before, after, namedType(type).name.value)) this.changed.add(coordinate);
    // what stands below a value that is gone, or no object any more, is told by that value
    if (before.length === 0 || after.length === 0) return;
    const items = (ways: readonly Way[]): unknown[] => ways.flatMap(({ items: each }) => each);
    const list = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
    if (list.kind === Kind.LIST_TYPE) {
      if (
        isNeverNull(list.type) &&
        !mayBeNull(this.#old, items(before)) &&
        mayBeNull(this.#new, items(after))
      )
        this.changed.add(coordinate);
      return this.#value(coordinate, list.type, items(before), items(after));
    }
    if (before.some(mayBeObject) && !after.some(mayBeObject)) return;
    const { value: owner } = namedType(type).name;
    const members = this.sdl.members(owner);
    // a union has no type for a further member: each field that is one cannot show it
    if (members.length > 0 && after.length > before.length) this.changed.add(coordinate);
    const key = JSON.stringify([owner, unique(old), unique(now)]);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const tellsOf = (reader: Reader, ways: readonly Way[]): Set<string> => {
      const stated = ways.flatMap((way) => statedBy(reader, way));
      return new Set(stated.flatMap(([key, text]) => (namedBy(members, text) === undefined ? [] : [key])));
    };
    const owned = (reader: Reader, ways: readonly Way[]): Way[][] => {
      const tells = tellsOf(reader, ways);
      return members.map((member) => ways.filter((way) => this.#isOf(member, members, tells, reader, way)));
    };
    const was = owned(this.#old, before);
    const is = owned(this.#new, after);
    const isShared = (lists: Way[][]): boolean => new Set(lists.flat()).size < lists.flat().length;
    // a further member states another value by the same property
    const isStated = (reader: Reader, ways: readonly Way[]): boolean => {
      const tells = tellsOf(reader, ways);
      return ways.every((way) => statedBy(reader, way).some(([key]) => tells.has(key)));
    };
    // members that cannot be told apart any more, or not by their values, are told by the value
    const isLost = members.length > 0 && isStated(this.#old, before) && !isStated(this.#new, after);
    if (isLost || (!isShared(was) && isShared(is))) {
      this.changed.add(coordinate);
      return;
    }
    for (const [index, member] of members.entries()) {
      const old = was[index] ?? [];
      const now = is[index] ?? [];
      // what stands below a member that is gone is told by the value
      if (old.length > 0 && !now.some(mayBeObject)) this.changed.add(coordinate);
      else this.#object(member, old, now);
    }
    if (members.length === 0) this.#object(owner, before, after);
  }

  #object(owner: string, before: readonly Way[], after: readonly Way[]): void {
    for (const field of this.sdl.fields(owner)) {
      if (directive(field, "rest")) continue;
      this.#property(`${owner}.${field.name.value}`, field, before, after);
    }
  }

  /**
   * A value of this way is one of the type if it says so, or says nothing and has all of the type's properties. `tells` names
   * the properties by which values of other ways say so.
   */
  #isOf(
    type: string,
    members: readonly string[],
    tells: ReadonlySet<string>,
    reader: Reader,
    way: Way,
  ): boolean {
    const stated = statedBy(reader, way);
    const [named] = stated.flatMap(([, text]) => namedBy(members, text) ?? []);
    if (named !== undefined) return named === type;
    if (stated.some(([key]) => tells.has(key))) return false; // a further member, which the union has no type for
    return this.sdl
      .fields(type)
      .every(
        (field) => directive(field, "rest") || restName(field, Object.keys(way.properties)) in way.properties,
      );
  }

  #property(
    coordinate: string,
    field: FieldDefinitionNode,
    before: readonly Way[],
    after: readonly Way[],
  ): void {
    const { type } = field;
    const old = before.filter(mayBeObject);
    const now = after.filter(mayBeObject);
    const nameAmong = (ways: readonly Way[]): string =>
      restName(field, [...new Set(ways.flatMap(({ properties }) => Object.keys(properties)))]);
    const schemas = (ways: readonly Way[]): unknown[] => {
      const name = nameAmong(ways);
      return ways.flatMap(({ properties: { [name]: each } }) => (each ? [oneSchema(each)] : []));
    };
    const was = schemas(old);
    const is = schemas(now);
    const isNull = (ways: readonly Way[], reader: Reader, found: readonly unknown[]): boolean =>
      ways.some(({ required }) => !required.has(nameAmong(ways))) ||
      found.some((each) => reader.ways(each).some(({ types }) => types.has("null")));
    const isGoneFromSome = is.length < now.length && was.length === old.length;
    if (was.length > 0 && (is.length === 0 || isGoneFromSome)) {
      this.changed.add(coordinate);
      // what stands below a value that some objects have no more is told by that value
      return;
    }
    if (isNeverNull(type) && !isNull(old, this.#old, was) && isNull(now, this.#new, is))
      this.changed.add(coordinate);
    this.#value(coordinate, type, was, is);
  }
}

/** GraphQL shows null for a value that is missing and for one that is null: a type without `!` says so already. */
const isNeverNull = ({ kind }: TypeNode): boolean => kind === Kind.NON_NULL_TYPE;

const plain = (text: unknown): string =>
  String(text)
    .replaceAll(/[^A-Za-z0-9]/g, "")
    .toLowerCase();

/** The member that a value names: `COMPONENT` is `ComponentNode`, and not `ComponentSetNode`. */
const namedBy = (members: readonly string[], text: string): string | undefined =>
  members
    .filter((member) => text.length > 2 && plain(member).startsWith(text))
    .sort((one, other) => one.length - other.length)[0];

/** The properties that every object has, and that have some values alone, each with each of these. */
const statedBy = (reader: Reader, { properties, required }: Way): [key: string, text: string][] =>
  Object.entries(properties).flatMap(([key, schemas]) =>
    reader
      .ways(oneSchema(schemas))
      .filter(() => required.has(key))
      .flatMap(({ values = [] }) => values.map((value): [string, string] => [key, plain(value)])),
  );
