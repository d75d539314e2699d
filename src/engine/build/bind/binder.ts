/** Collects the model during binding, and queues the object types that are still to be bound. */
import type { GraphQLSchema } from "graphql";
import { componentName } from "../openapi/component-names.ts";
import type { CredentialsFile } from "../openapi/credentials-file.ts";
import { nodeKey, type RestDocument, type RestNode } from "../openapi/document.ts";
import type { HeldByOperation } from "../openapi/held-credentials.ts";
import type { RestOperation } from "../openapi/operation.ts";
import type { RestOperations } from "../openapi/read-operations.ts";
import { shapeAt } from "../openapi/shapes/read-shape.ts";
import type { Shape } from "../openapi/shapes/shape.ts";
import type { RestNames } from "../schema/rest-names.ts";
import type { Findings, FindingTarget } from "./findings.ts";
import { InputPairs } from "./inputs/input-pairs.ts";
import { InputSlots } from "./inputs/input-slots.ts";
import type { AbstractType, Backing, FieldBinding, Model, PlainField, ValueUse } from "./model.ts";
import { componentType, withoutNull } from "./outputs/type-expression.ts";

export class Binder {
  readonly fields = new Map<string, FieldBinding | PlainField>();
  readonly abstracts = new Map<string, AbstractType>();
  readonly backings = new Map<string, Backing[]>();
  /** By coordinate: the levels (see `addNull`) at which REST may return null, with the node that allows it. */
  readonly #nulls = new Map<string, Map<number, RestNode | undefined>>();
  readonly #nullsWithoutCall = new Map<string, RestNode | undefined>();
  readonly #values = new Map<string, ValueUse>();
  /** By coordinate: the property that the field reads in the first REST object. */
  readonly #properties = new Map<string, { readonly name: string; readonly owner: string }>();
  readonly #backed = new Set<string>();
  readonly #slots = new Map<RestOperation, InputSlots>();
  readonly #unvisited: { type: string; backing: Backing }[] = [];
  readonly schema: GraphQLSchema;
  readonly document: RestDocument;
  readonly operations: RestOperations;
  readonly credentials: CredentialsFile;
  readonly held: HeldByOperation;
  readonly names: RestNames;
  readonly pairs: InputPairs;
  readonly findings: Findings;
  /** The coordinates of the Query fields that resolve federation entities. */
  readonly #references: ReadonlySet<string>;

  constructor(
    {
      schema,
      document,
      operations,
      federation,
      held,
      names,
    }: Pick<Model, "schema" | "document" | "operations" | "federation" | "held" | "names">,
    credentials: CredentialsFile,
    findings: Findings,
  ) {
    this.schema = schema;
    this.document = document;
    this.operations = operations;
    this.credentials = credentials;
    this.held = held;
    this.names = names;
    this.pairs = new InputPairs(names);
    this.findings = findings;
    const query = schema.getQueryType()?.name;
    this.#references = new Set(
      federation?.keys.flatMap(({ reference }) => (reference ? `${query}.${reference.name.value}` : [])),
    );
  }

  /** Whether this Query field resolves the entities of a federation `@key`. Only the router calls it; clients cannot see it. */
  isReference(coordinate: string): boolean {
    return this.#references.has(coordinate);
  }

  /**
   * Records that objects of `type` are read from REST objects of this shape. Queues new pairs, so that their fields are bound.
   */
  addBacking(type: string, { shape, typeExpression, status, from }: Backing): void {
    const key = `${type} ${shape.identity.text}`;
    if (this.#backed.has(key)) return;
    this.#backed.add(key);
    const expression = shape.nullable ? withoutNull(typeExpression) : typeExpression;
    const backing = { shape, typeExpression: expression, from, status };
    const known = this.backings.get(type);
    if (known) known.push(backing);
    else this.backings.set(type, [backing]);
    this.#unvisited.push({ type, backing });
  }

  /** Caches the slots, because several fields may call the same operation. */
  slotsOf(operation: RestOperation): InputSlots {
    const slots = this.#slots.get(operation) ?? new InputSlots(operation);
    this.#slots.set(operation, slots);
    return slots;
  }

  nextUnvisited(): { type: string; backing: Backing } | undefined {
    return this.#unvisited.shift();
  }

  addAbstract(abstract: AbstractType): void {
    const known = this.abstracts.get(abstract.name);
    this.abstracts.set(
      abstract.name,
      known ? { ...known, members: new Map([...known.members, ...abstract.members]) } : abstract,
    );
  }

  /** Records that REST may return null at a level: 0 is the field's value, 1 an item of its list, 2 an item of a nested list. */
  addNull({ coordinate, rest }: FindingTarget, level = 0): void {
    const levels = this.#nulls.get(coordinate) ?? new Map<number, RestNode | undefined>();
    this.#nulls.set(coordinate, levels);
    if (!levels.has(level)) levels.set(level, rest);
  }

  /** Records that the field is null without a call if its parent has no key for the call. */
  addNullWithoutCall({ coordinate, rest }: FindingTarget): void {
    this.#nullsWithoutCall.set(coordinate, rest);
  }

  /** Returns the node that allows null at each level. */
  nullsOf(coordinate: string): ReadonlyMap<number, RestNode | undefined> {
    const nulls = this.#nulls.get(coordinate) ?? new Map<number, RestNode | undefined>();
    return this.#nullsWithoutCall.has(coordinate)
      ? new Map([[0, this.#nullsWithoutCall.get(coordinate)], ...nulls])
      : nulls;
  }

  /** Whether the field is null only if no call is made, because the document forbids null in the response. */
  isNullOnlyWithoutCall(coordinate: string): boolean {
    return this.#nullsWithoutCall.has(coordinate) && this.#nulls.get(coordinate)?.has(0) !== true;
  }

  /**
   * Records the property that a field reads in one REST object. Reports a field that reads differently named properties in two
   * REST objects. The message sorts the names, so that it does not depend on the order of fields.
   */
  addProperty(where: FindingTarget, name: string, owner: string): void {
    const first = this.#properties.get(where.coordinate);
    if (first === undefined) this.#properties.set(where.coordinate, { name, owner });
    if (first === undefined || first.name === name) return;
    const both = [first, { name, owner }].map((each) => `"${each.name}" in ${each.owner}`);
    this.findings.add(
      "property-missing",
      where,
      `${where.coordinate} is ${both.sort().join(", and ")}: a field has one REST name`,
      "give each REST object a type of its own, or rename one of the properties in REST",
    );
  }

  /**
   * Records a value, so that `check --base` compares its REST schema with that of the base. Values that a federation router sends
   * have no REST schema, so they are not recorded.
   */
  addValue(use: ValueUse): void {
    if (use.node === this.document.root) return;
    const { direction, coordinate, type, node, shape } = use;
    this.#values.set([direction, coordinate, type, nodeKey(node), shape.identity.text].join(" "), use);
  }

  get values(): ValueUse[] {
    return [...this.#values.values()];
  }

  /** Returns the TypeScript type of the shape's component, or `otherwise` if the shape is not a component. */
  typeExpressionOf(shape: Shape, otherwise: string): string {
    const name = componentName(this.document, shape);
    return name === undefined ? otherwise : componentType(name, shapeAt(this.document, shape.node).nullable);
  }
}
