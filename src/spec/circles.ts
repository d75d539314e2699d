/** Schemas that include themselves, by `$ref`, `allOf`, `oneOf` or `anyOf`: no value is ever described by one. */
import { type Diagnostic, diagnosed } from "./diagnostic.ts";
import { isRecord, type RestDocument, type RestNode, refOf } from "./rest-document.ts";
import { below } from "./shape.ts";

export class Circles {
  /** One for each circle, at the member that closes it. */
  readonly found: Diagnostic[] = [];
  readonly #document: RestDocument;
  readonly #state = new Map<unknown, "open" | "done">();

  constructor(document: RestDocument) {
    this.#document = document;
  }

  /** `closing`: the node that leads here. */
  visit(node: RestNode, closing = node): void {
    if (!isRecord(node.value)) return;
    const state = this.#state.get(node.value);
    if (state === "open") this.#add(node, closing);
    if (state) return;
    this.#state.set(node.value, "open");
    const target = this.#document.target(node);
    if (target) this.visit(target, node);
    for (const keyword of ["allOf", "oneOf", "anyOf"] as const) {
      const members = node.value[keyword];
      if (!Array.isArray(members)) continue;
      for (const index of members.keys()) this.visit(below(node, keyword, index));
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
