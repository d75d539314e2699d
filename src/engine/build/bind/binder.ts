/** Collects the bound fields and the findings, and queues the object types still to be bound. */
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
  /** Schema coordinate → level (see `addNull`) → the OpenAPI node that allows null there. */
  readonly #nulls = new Map<string, Map<number, RestNode | undefined>>();
  readonly #nullsWithoutCall = new Map<string, RestNode | undefined>();
  readonly #values = new Map<string, ValueUse>();
  /** Field coordinate → the property that the field reads in the first REST schema of its parent type. */
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
  /** Coordinates of the Query fields that resolve federation entities. */
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

  /** Whether this Query field only resolves federation entities (`_entities`), so that clients cannot select it. */
  isReference(coordinate: string): boolean {
    return this.#references.has(coordinate);
  }

  /** Records that REST returns objects of `type` with this shape, and queues the fields of the type. */
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

  /**
   * Records that REST may return null. `level`: 0 for the field's value, 1 for an item of its list, 2 for an item of a nested
   * list.
   */
  addNull({ coordinate, rest }: FindingTarget, level = 0): void {
    const levels = this.#nulls.get(coordinate) ?? new Map<number, RestNode | undefined>();
    this.#nulls.set(coordinate, levels);
    if (!levels.has(level)) levels.set(level, rest);
  }

  /** Records that the field is null if its parent has no key: no call is made then. */
  addNullWithoutCall({ coordinate, rest }: FindingTarget): void {
    this.#nullsWithoutCall.set(coordinate, rest);
  }

  /** Returns the OpenAPI nodes that allow null, by level (see `addNull`). */
  nullsOf(coordinate: string): ReadonlyMap<number, RestNode | undefined> {
    const nulls = this.#nulls.get(coordinate) ?? new Map<number, RestNode | undefined>();
    return this.#nullsWithoutCall.has(coordinate)
      ? new Map([[0, this.#nullsWithoutCall.get(coordinate)], ...nulls])
      : nulls;
  }

  /** Whether the field is null only if no call is made: responses never have null for it. */
  isNullOnlyWithoutCall(coordinate: string): boolean {
    return this.#nullsWithoutCall.has(coordinate) && this.#nulls.get(coordinate)?.has(0) !== true;
  }

  /** Records the property that a field reads. Reports a field that reads differently named properties in two REST schemas. */
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
   * Records a value for `check --base`, which compares its old and new REST schema. Skips values from a federation router,
   * because they have no REST schema.
   */
  addValue(use: ValueUse): void {
    if (use.node === this.document.root) return;
    const { direction, coordinate, type, node, shape } = use;
    this.#values.set([direction, coordinate, type, nodeKey(node), shape.identity.text].join(" "), use);
  }

  get values(): ValueUse[] {
    return [...this.#values.values()];
  }

  /** Returns the TypeScript type of a shape in `components/schemas`, and `otherwise` for any other shape. */
  typeExpressionOf(shape: Shape, otherwise: string): string {
    const name = componentName(this.document, shape);
    return name === undefined ? otherwise : componentType(name, shapeAt(this.document, shape.node).nullable);
  }
}
