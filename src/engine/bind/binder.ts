/** Collects the parts of the model while the fields are bound, and queues the object types that are still unvisited. */
import type { GraphQLSchema } from "graphql";
import { nodeKey, type RestDocument, type RestNode } from "../openapi/document.ts";
import type { RestOperation } from "../openapi/operation.ts";
import type { RestOperations } from "../openapi/read-operations.ts";
import { shapeAt } from "../openapi/shapes/read-shape.ts";
import type { Shape } from "../openapi/shapes/shape.ts";
import type { Findings } from "./findings.ts";
import { InputSlots } from "./inputs/input-slots.ts";
import type { AbstractType, Backing, Direction, FieldBinding, PlainField, Reliance } from "./model.ts";
import { componentType, withoutNull } from "./outputs/type-expression.ts";

export class Binder {
  readonly fields = new Map<string, FieldBinding | PlainField>();
  readonly abstracts = new Map<string, AbstractType>();
  readonly backings = new Map<string, Backing[]>();
  readonly reliances: Reliance[] = [];
  readonly #known = new Set<string>();
  readonly #backed = new Set<string>();
  readonly #slots = new Map<RestOperation, InputSlots>();
  readonly #unvisited: { type: string; backing: Backing }[] = [];
  readonly schema: GraphQLSchema;
  readonly document: RestDocument;
  readonly operations: RestOperations;
  readonly findings: Findings;

  constructor(schema: GraphQLSchema, document: RestDocument, operations: RestOperations, findings: Findings) {
    this.schema = schema;
    this.document = document;
    this.operations = operations;
    this.findings = findings;
  }

  /** Records that objects of `type` are read from REST objects of this shape, and queues each new pair for a visit. */
  addBacking(type: string, { shape, typeExpression, status, from }: Backing): void {
    const key = `${type} ${shape.identity.text}`;
    if (this.#backed.has(key)) return;
    this.#backed.add(key);
    const backing = {
      shape,
      typeExpression: shape.nullable ? withoutNull(typeExpression) : typeExpression,
      from,
      ...(status !== undefined && { status }),
    };
    const known = this.backings.get(type);
    if (known) known.push(backing);
    else this.backings.set(type, [backing]);
    this.#unvisited.push({ type, backing });
  }

  /** The same object for the same operation: several fields may call it. */
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

  /** Records that `coordinate` reads the part of a response that these nodes describe. */
  relyOnResponse(coordinate: string, ...nodes: readonly (RestNode | undefined)[]): void {
    this.#addReliances("response", coordinate, nodes);
  }

  /** Records that `coordinate` sends the part of a request that these nodes describe. */
  relyOnRequest(coordinate: string, ...nodes: readonly (RestNode | undefined)[]): void {
    this.#addReliances("request", coordinate, nodes);
  }

  #addReliances(direction: Direction, coordinate: string, nodes: readonly (RestNode | undefined)[]): void {
    for (const node of nodes) {
      const key = node && `${direction} ${coordinate} ${nodeKey(node)}`;
      if (!node || key === undefined || this.#known.has(key)) continue;
      this.#known.add(key);
      this.reliances.push({ coordinate, node, direction });
    }
  }

  /** The TypeScript type of a shape: its component's type if it is a named component, else `otherwise`. */
  typeExpressionOf(shape: Shape, otherwise: string): string {
    const { node, identity } = shape;
    const [components, schemas, name, ...below] = node.path;
    const isComponent =
      node.file === this.document.root.file && components === "components" && schemas === "schemas";
    if (!isComponent || name === undefined || below.length > 0 || identity.text !== nodeKey(node))
      return otherwise;
    return componentType(String(name), shapeAt(this.document, node).nullable);
  }
}
