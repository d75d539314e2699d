/** The OpenAPI document of a text or of a value, with the files that it refers to. */
import { RestDocument } from "../../../../src/engine/build/openapi/document.ts";
import { singleDocumentFile } from "../../../../src/engine/build/openapi/document-files.ts";

export function restDocument(openapi: string | object, files: Readonly<Record<string, string>> = {}) {
  const text = typeof openapi === "string" ? openapi : JSON.stringify(openapi);
  const texts: Readonly<Record<string, string>> = { ...files, [singleDocumentFile.file]: text };
  return new RestDocument([singleDocumentFile], (name) => texts[name]);
}
