/** Breaking edits of operations: the table of the pair, and seven edits of every bound operation. */
import type { Mutation } from "./mutation.ts";
import type { Pair } from "./pair.ts";
import { add, type Make, type Row, remove, rename, replace } from "./row.ts";
import { type Path, YamlEdit } from "./yaml-edit.ts";

export function operationMutations(pair: Pair): Mutation[] {
  const yaml = new YamlEdit(pair.files.get("openapi.yaml") ?? "");
  const everywhere = [...pair.rows, ...operationRows(yaml, pair.fields)];
  return everywhere.map(([name, make, ...coordinates]) => ({
    name: `${pair.name}: ${name}`,
    file: "openapi.yaml",
    edit: make(yaml),
    coordinates,
  }));
}

/** Edits that break the field of any operation. */
function operationRows(yaml: YamlEdit, fields: Readonly<Record<string, string>>): Row[] {
  const paths = Object.entries(
    yaml.value(["paths"]) as Record<string, Record<string, { operationId?: string }>>,
  );
  return paths.flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { operationId = "", ...operation }]): Row[] => {
      const field = fields[operationId];
      if (field === undefined) return [];
      const at: Path = ["paths", path, method];
      const success = Object.keys((operation as { responses: object }).responses).find((status) =>
        status.startsWith("2"),
      );
      const answer: Path = [...at, "responses", success ?? ""];
      return [
        [`${operationId} removed`, remove(...at), field],
        [`${operationId} renamed`, replace(`${operationId}_2`, ...at, "operationId"), field],
        [`${operationId} made another method`, rename(method === "get" ? "delete" : "patch", ...at), field],
        [
          `${operationId} moved`,
          (edits) => ({
            ...edits.rename(["paths", path], `${path}/v2`),
            lines: [edits.lineOf(at), edits.lineOf(["paths", path])],
          }),
          field,
        ],
        [
          `${operationId} answers no JSON`,
          rename("image/png", ...answer, "content", "application/json"),
          field,
        ],
        [`${operationId} fails instead`, rename("'302'", ...answer), field],
        [`${operationId} needs a new header`, newHeader(at), field],
      ];
    }),
  );
}

/** Adds a required header to the operation's own parameters. */
const newHeader =
  (at: Path): Make =>
  (yaml) => {
    const header = "{ name: X-New, in: header, required: true, schema: { type: string } }";
    const known = yaml.value([...at, "parameters"]) !== undefined;
    return known ? add(header, ...at, "parameters")(yaml) : add(`parameters: [${header}]`, ...at)(yaml);
  };
