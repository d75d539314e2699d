/** Finds schemas that include themselves by `$ref`, `allOf`, `oneOf` or `anyOf`. Such a schema describes no value. */
import { type Diagnostic, diagnosed } from "../../diagnostic.ts";
import { isRecord, type RestDocument, type RestNode, refOf } from "../document.ts";
import { nodeBelow } from "./shape.ts";

export class SchemaCycles {
  /** One finding for each cycle, at the member that closes the cycle. */
  readonly found: Diagnostic[] = [];
  readonly #document: RestDocument;
  readonly #state = new Map<unknown, "open" | "done">();

  constructor(document: RestDocument) {
    this.#document = document;
  }

  /** `closing`: the node that refers to `node`. */
  visit(node: RestNode, closing = node): void {
    if (!isRecord(node.value)) return;
    const state = this.#state.get(node.value);
    if (state === "open") this.#add(node, closing);
    if (state) return;
    this.#state.set(node.value, "open");
    const target = this.#document.refTarget(node);
    if (target) this.visit(target, node);
    for (const keyword of ["allOf", "oneOf", "anyOf"] as const) {
      const members = node.value[keyword];
      if (!Array.isArray(members)) continue;
      for (const index of members.keys()) this.visit(nodeBelow(node, keyword, index));
    }
    this.#state.set(node.value, "done");
  }

  #add({ path }: RestNode, closing: RestNode): void {
    const coordinate = refOf(closing.value) ?? `#/${path.join("/")}`;
    this.found.push(
      diagnosed({
        rule: "ref-circular",
        coordinate,
        message: `$ref "${coordinate}" closes a circle: the schema includes itself`,
        hint: "take it out, or move it below a property",
        rest: this.#document.place(closing, "$ref"),
      }),
    );
  }
}
