/** Finds schemas that include themselves by `$ref`, `allOf`, `oneOf` or `anyOf`, so that validation would never end. */
import { isRecord, membersOf } from "../../../shared/json-object.ts";
import { createDiagnostic, type Diagnostic } from "../../diagnostic.ts";
import { type RestDocument, type RestNode, refOf } from "../document.ts";
import { nodeBelow } from "./shape.ts";

/** An included schema. `closing`: the node that includes it, at which a cycle is reported. */
type Inclusion = { readonly node: RestNode; readonly closing: RestNode };

/** A schema on the current path of the walk, with an iterator of the schemas that it includes. */
type Visit = { readonly value: object; readonly includes: Generator<Inclusion, undefined> };

/** Yields the target of the schema's `$ref`, and the members of its `allOf`, `oneOf` and `anyOf`. */
export function* includedSchemas(document: RestDocument, node: RestNode): Generator<Inclusion, undefined> {
  const target = document.refTarget(node);
  if (target) yield { node: target, closing: node };
  for (const keyword of ["allOf", "oneOf", "anyOf"] as const) {
    const members = membersOf(node.value)[keyword];
    for (const index of Array.isArray(members) ? members.keys() : []) {
      const member = nodeBelow(node, keyword, index);
      yield { node: member, closing: member };
    }
  }
}

export class SchemaCycles {
  /** One finding for each cycle, at the `$ref` that closes it. */
  readonly found: Diagnostic[] = [];
  readonly #document: RestDocument;
  readonly #state = new Map<unknown, "open" | "done">();

  constructor(document: RestDocument) {
    this.#document = document;
  }

  /** The walk is iterative, because a chain of references may exceed the depth of the call stack. */
  visit(start: RestNode): void {
    const open: Visit[] = [];
    this.#enter({ node: start, closing: start }, open);
    for (let last = open.at(-1); last; last = open.at(-1)) {
      const { value: next } = last.includes.next();
      if (next) this.#enter(next, open);
      else this.#state.set(open.pop()?.value, "done");
    }
  }

  #enter({ node, closing }: Inclusion, open: Visit[]): void {
    const { value } = node;
    if (!isRecord(value)) return;
    const state = this.#state.get(value);
    if (state === "open") this.#add(node, closing);
    if (state) return;
    this.#state.set(value, "open");
    open.push({ value, includes: includedSchemas(this.#document, node) });
  }

  #add({ path }: RestNode, closing: RestNode): void {
    const coordinate = refOf(closing.value) ?? `#/${path.join("/")}`;
    this.found.push(
      createDiagnostic({
        rule: "ref-circular",
        coordinate,
        message: `$ref "${coordinate}" closes a cycle: the schema includes itself`,
        hint: "take it out, or move it below a property",
        rest: this.#document.place(closing, "$ref"),
      }),
    );
  }
}
