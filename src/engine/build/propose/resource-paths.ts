/** Extracts resource names from paths. */
import { ownPath, type RestOperation } from "../openapi/operation.ts";

/** The segments of a path; the first one is empty. A trailing slash, as in Django, adds no segment. */
export const stepsOf = (path: string): string[] => path.replace(/(?<=.)\/$/, "").split("/");

/** The path's last segment that is not a parameter, for example `books` for `/books/{id}`. */
export const resourceName = (operation: RestOperation): string =>
  stepsOf(ownPath(operation)).findLast((step) => !step.includes("{")) ?? "";

/** The possible singulars of a name. For example, those of `categories` include `categorie`, `categori` and `category`. */
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
