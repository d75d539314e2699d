/** What grows while a spec is bound: findings, bound and plain fields, and the object types still to be visited. */
import type { GraphQLSchema } from "graphql";
import type { Findings } from "./findings.ts";
import type { AbstractType, Backing, Direction, ModelField, Reliance } from "./model.ts";
import type { RestOperation } from "./operations.ts";
import { nodeKey, type RestDocument, type RestNode } from "./rest-document.ts";
import type { Shape } from "./shape.ts";

export class Binding {
  readonly fields = new Map<string, ModelField>();
  readonly abstracts = new Map<string, AbstractType>();
  readonly backings = new Map<string, Backing[]>();
  readonly reliances: Reliance[] = [];
  readonly #relied = new Set<string>();
  readonly #waiting: { type: string; backing: Backing }[] = [];
  readonly schema: GraphQLSchema;
  readonly document: RestDocument;
  readonly operations: ReadonlyMap<string, RestOperation>;
  readonly findings: Findings;

  constructor(
    schema: GraphQLSchema,
    document: RestDocument,
    operations: ReadonlyMap<string, RestOperation>,
    findings: Findings,
  ) {
    this.schema = schema;
    this.document = document;
    this.operations = operations;
    this.findings = findings;
  }

  /** Notes that objects of `type` are read from REST objects of this shape; each pair is visited once. */
  back(type: string, shape: Shape, expression: string): void {
    const known = this.backings.get(type) ?? [];
    if (known.some((backing) => same(backing.shape, shape))) return;
    const backing = { shape, expression };
    this.backings.set(type, [...known, backing]);
    this.#waiting.push({ type, backing });
  }

  next(): { type: string; backing: Backing } | undefined {
    return this.#waiting.shift();
  }

  addAbstract(abstract: AbstractType): void {
    const known = this.abstracts.get(abstract.name);
    this.abstracts.set(
      abstract.name,
      known ? { ...known, members: new Map([...known.members, ...abstract.members]) } : abstract,
    );
  }

  /** Notes that `coordinate` reads what these nodes of the document describe. */
  rely(coordinate: string, ...nodes: readonly (RestNode | undefined)[]): void {
    this.#rely("answer", coordinate, nodes);
  }

  /** Notes that `coordinate` sends what these nodes of the document describe. */
  relyOnRequest(coordinate: string, ...nodes: readonly (RestNode | undefined)[]): void {
    this.#rely("request", coordinate, nodes);
  }

  #rely(direction: Direction, coordinate: string, nodes: readonly (RestNode | undefined)[]): void {
    for (const node of nodes) {
      const key = node && `${direction} ${coordinate} ${nodeKey(node)}`;
      if (!node || key === undefined || this.#relied.has(key)) continue;
      this.#relied.add(key);
      this.reliances.push({ coordinate, node, direction });
    }
  }

  /** The generated type of a shape: its component's if it has a name of its own, else `otherwise`. */
  expressionOf(shape: Shape, otherwise: string): string {
    const [components, schemas, name, ...below] = shape.node.path;
    const named =
      shape.node.file === this.document.root.file && components === "components" && schemas === "schemas";
    return named && name !== undefined && below.length === 0
      ? `components["schemas"][${JSON.stringify(name)}]`
      : otherwise;
  }
}

const same = (one: Shape, other: Shape): boolean => nodeKey(one.node) === nodeKey(other.node);
