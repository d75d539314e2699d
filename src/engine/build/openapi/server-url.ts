/** The URL of a document's first server (OpenAPI 3.1 §4.8.5). */
import { membersOf } from "../../shared/json-object.ts";
import { own } from "../../shared/own.ts";
import type { RestDocument, RestNode } from "./document.ts";

/** The URL as the document writes it, with the defaults of its variables. */
export function serverUrl(document: RestDocument, root: RestNode): string | undefined {
  const server = document.child(document.child(root, "servers"), 0);
  const { url, variables } = membersOf(server?.value);
  if (typeof url !== "string") return undefined;
  return url.replaceAll(/\{([^{}]*)\}/g, (written, name: string) => {
    const { default: value } = membersOf(own(membersOf(variables), name));
    return typeof value === "string" ? value : written;
  });
}
