/** Extracts resource names from paths. */
import { ownPath, type RestOperation } from "../openapi/operation.ts";

/** The segments of a path; the first is empty. A trailing slash, as in Django, does not add one. */
export const stepsOf = (path: string): string[] => path.replace(/(?<=.)\/$/, "").split("/");

/** The last segment of the path that is not a parameter: `books` in `/books/{id}`. */
export const resourceName = (operation: RestOperation): string =>
  stepsOf(ownPath(operation)).findLast((step) => !step.includes("{")) ?? "";

/** `categories` → `categories`, `categorie`, `categori`, `category`: candidates for the singular. */
export const singulars = (name: string): string[] => [
  name,
  name.replace(/s$/, ""),
  name.replace(/es$/, ""),
  name.replace(/ies$/, "y"),
];

/** `folders` → `folder`, `policies` → `policy`, `addresses` → `address`, `statuses` → `status`. */
export const singular = (name: string): string =>
  /(?:ss|us|is|series|news)$/i.test(name)
    ? name
    : name.replace(/ies$|(?<=ss|sh|ch|x|tus|ias)es$|s$/i, (end) => (end.length === 3 ? "y" : ""));
