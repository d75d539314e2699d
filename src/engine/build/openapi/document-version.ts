/** The OpenAPI versions of documents and their parts: 3.0, 3.1 or 3.2. */
import { membersOf } from "../../shared/json-object.ts";
import { unreadableSpec } from "../diagnostic.ts";
import type { NamedDocument } from "./document-files.ts";

const converters = "`restbound init` converts it in an empty folder, and so does `npx swagger2openapi`";

const otherVersion = (version: string): string =>
  `is OpenAPI ${version}, but 3.0, 3.1 or 3.2 is required: if it uses nothing newer, set openapi to 3.2.0 in an overlay`;

/** The OpenAPI version of each file. A file without an `openapi` field gets the version of the first file that refers to it. */
export class Versions {
  readonly #minor = new Map<string, string>();
  readonly #documents = new Set<string>();

  /** Keywords next to a `$ref` apply in OpenAPI 3.1 (§4.8.24) and are ignored in 3.0 (§4.7.23). */
  readsBesideRef(file: string): boolean {
    return !this.is30(file);
  }

  is30(file: string): boolean {
    return this.#minor.get(file) === "3.0";
  }

  is32(file: string): boolean {
    return this.#minor.get(file) === "3.2";
  }

  /** Records a document's version. Throws `UnreadableSpec` if the file is not an OpenAPI document of version 3.0, 3.1 or 3.2. */
  add({ file, name }: NamedDocument, value: unknown): void {
    const { openapi, swagger } = membersOf(value);
    if (swagger !== undefined)
      throw unreadableSpec(
        file,
        `is Swagger ${swagger}, but OpenAPI 3.0, 3.1 or 3.2 is required: ${converters}`,
      );
    if (typeof openapi !== "string" || !/^3\.[012]\./.test(`${openapi}.`)) {
      const isOther = typeof openapi === "string" && /^\d/.test(openapi);
      const apart = name === undefined ? "" : "; move parts that documents share to a subfolder";
      throw unreadableSpec(
        file,
        isOther ? otherVersion(openapi) : `is not an OpenAPI 3.0, 3.1 or 3.2 document${apart}`,
      );
    }
    this.#documents.add(file);
    this.#minor.set(file, openapi.slice(0, 3));
  }

  /** Records that `file` refers to `part`. Throws `UnreadableSpec` if a 3.0 document and a newer one refer to the same part. */
  refer(file: string, part: string): void {
    const known = this.#minor.get(part);
    if (known === undefined) this.#minor.set(part, this.#minor.get(file) ?? "3.1");
    else if ((known === "3.0") !== this.is30(file) && !this.#documents.has(part))
      throw unreadableSpec(
        part,
        "is a part of both an OpenAPI 3.0 document and a newer one, which treat keywords next to a $ref differently",
      );
  }
}
