/** The versions of OpenAPI documents and their parts; only 3.0 and 3.1 are supported. */
import { membersOf } from "../../shared/json-object.ts";
import { unreadableSpec } from "../diagnostic.ts";
import type { NamedDocument } from "./document-files.ts";

const converters = "`restbound init` converts it in an empty folder, and so does `npx swagger2openapi`";

/** The new features of OpenAPI 3.2 (`query`, `additionalOperations`, `itemSchema`) are not supported. */
const otherVersion = (version: string): string =>
  `is OpenAPI ${version}, and 3.0 or 3.1 is needed: if it uses nothing newer, an overlay that sets openapi to 3.1.1 says so`;

/** File → whether it is OpenAPI 3.0. A part has the version of the document that refers to it. */
export class Versions {
  readonly #is30 = new Map<string, boolean>();
  readonly #documents = new Set<string>();

  /** Keywords next to a `$ref` apply in OpenAPI 3.1 (§4.8.24) and are ignored in 3.0 (§4.7.23). */
  readsBesideRef(file: string): boolean {
    return !this.is30(file);
  }

  is30(file: string): boolean {
    return this.#is30.get(file) === true;
  }

  /** Throws `UnreadableSpec` for a document of another version, and for other files. */
  add({ file, name }: NamedDocument, value: unknown): void {
    const { openapi, swagger } = membersOf(value);
    if (swagger !== undefined)
      throw unreadableSpec(file, `is Swagger ${swagger}, and OpenAPI 3.0 or 3.1 is needed: ${converters}`);
    if (typeof openapi !== "string" || !/^3\.[01]\./.test(`${openapi}.`)) {
      const isOther = typeof openapi === "string" && /^\d/.test(openapi);
      const apart = name === undefined ? "" : "; move parts that documents share to a subfolder";
      throw unreadableSpec(
        file,
        isOther ? otherVersion(openapi) : `is not an OpenAPI 3.0 or 3.1 document${apart}`,
      );
    }
    this.#documents.add(file);
    this.#is30.set(file, openapi.startsWith("3.0"));
  }

  /** Records that `file` refers to `part`. Throws `UnreadableSpec` for a part of documents of both versions. */
  refer(file: string, part: string): void {
    const is30 = this.is30(file);
    if (!this.#is30.has(part)) this.#is30.set(part, is30);
    else if (this.#is30.get(part) !== is30 && !this.#documents.has(part))
      throw unreadableSpec(
        part,
        "is a part of both OpenAPI 3.0 and 3.1 documents, which treat keywords next to a $ref differently",
      );
  }
}
