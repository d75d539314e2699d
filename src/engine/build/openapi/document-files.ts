/**
 * The OpenAPI documents of a spec folder: `openapi.yaml`, or a file per product in `openapi/`, named after the product. Files in
 * subfolders of `openapi/` are not documents, but parts that documents refer to with `$ref`.
 */
import { posix } from "node:path";
import { membersOf } from "../../shared/json-object.ts";
import { UnreadableSpec, unreadableSpec } from "../diagnostic.ts";
import { parseWithDuplicates } from "./yaml-file.ts";

/** `name`: the product; `undefined` for `openapi.yaml`. */
export type NamedDocument = { readonly file: string; readonly overlay: string; readonly name?: string };

export const singleDocumentFile: NamedDocument = { file: "openapi.yaml", overlay: "overlay.yaml" };

export const documentsFolder = "openapi";

export const documentNamed = (name: string, extension = ".yaml"): NamedDocument => ({
  name,
  file: `${documentsFolder}/${name}${extension}`,
  overlay: `${documentsFolder}/${name}.overlay.yaml`,
});

/** Whether the name can be part of the variable `REST_BASE_URL_<NAME>` and the prefix of an id (`name/operationId`). */
export const isDocumentName = (name: string): boolean => /^[A-Za-z0-9][\w-]*$/.test(name);

/** `my-shop` → `MY_SHOP`, for environment variables. */
export const productOf = (name: string): string => name.toUpperCase().replaceAll("-", "_");

/** Returns the environment variable that contains the base URL of a document's operations. */
export const baseUrlVariable = (name: string | undefined): string =>
  name === undefined ? "REST_BASE_URL" : `REST_BASE_URL_${productOf(name)}`;

const overlayEnd = ".overlay";

/**
 * Returns the documents in the order of `names`, which lists the files in `openapi/`. Throws `UnreadableSpec` if there are both
 * an `openapi.yaml` and documents in `openapi/`, if a document's name is invalid or not unique, or if an overlay has no document.
 */
export function documentFiles(names: readonly string[], read: (name: string) => string | undefined) {
  const found = names.flatMap((file): NamedDocument[] => {
    const { dir, name, ext } = posix.parse(file);
    const isDocument = dir === documentsFolder && /^\.(?:ya?ml|json)$/.test(ext) && !name.startsWith(".");
    return isDocument ? [documentNamed(name, ext)] : [];
  });
  const documents = found.filter(({ name }) => !name?.endsWith(overlayEnd));
  const isSplit = read(singleDocumentFile.file) !== undefined;
  if (isSplit) {
    // `openapi.yaml` may refer to parts in `openapi/`, so only a file with an `openapi` field is rejected
    const other = documents.find(({ file }) => isDocument(file, read(file) ?? ""));
    if (other)
      throw unreadableSpec(singleDocumentFile.file, `cannot be combined with ${other.file}: ${eitherOr}`);
  }
  if (isSplit || documents.length === 0) return [singleDocumentFile];
  const faults = [
    ...documents.flatMap(({ name = "", file }) => {
      const same = documents.find(
        (each) => each.file < file && productOf(each.name ?? "") === productOf(name),
      );
      if (same)
        return [
          unreadableSpec(file, `is the product ${productOf(name)}, and so is ${same.file}: rename one`),
        ];
      return isDocumentName(name)
        ? []
        : [unreadableSpec(file, "must have a name of letters, digits, - and _ only")];
    }),
    ...found.flatMap(({ name = "", file }) =>
      !name.endsWith(overlayEnd) || documents.some(({ overlay }) => overlay === file)
        ? []
        : [unreadableSpec(file, "is an overlay without a document")],
    ),
    ...(read(singleDocumentFile.overlay) === undefined
      ? []
      : [
          unreadableSpec(
            singleDocumentFile.overlay,
            `belongs to one document: name it ${documentNamed("<name>").overlay}`,
          ),
        ]),
  ];
  if (faults.length > 0) throw new UnreadableSpec(faults.flatMap(({ diagnostics }) => diagnostics));
  return documents;
}

const isDocument = (file: string, text: string): boolean =>
  /openapi["']?\s*:/.test(text) && "openapi" in membersOf(parseWithDuplicates(file, text).value);

const eitherOr =
  "a spec has one document, or several below openapi/. Move this one there, under its product's name, and its overlay.yaml as <name>.overlay.yaml. Its address is REST_BASE_URL_<NAME> then";
