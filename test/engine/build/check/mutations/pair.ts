/** A pair of spec files under mutation: their texts, and the REST property of each plain field, derived from the SDL alone. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type FieldDefinitionNode, Kind, parse, type StringValueNode, type TypeNode } from "graphql";
import { isValid, Project, type ValidProject } from "../../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../../src/engine/build/project/spec-files.ts";
import { depotFields, depotRows } from "./depot-rows.ts";
import type { Row } from "./row.ts";
import type { Path } from "./yaml-edit.ts";

export type Pair = {
  readonly name: string;
  readonly files: ReadonlyMap<string, string>;
  /** Breaking edits of its document, picked by hand. */
  readonly rows: readonly Row[];
  /** `operationId` → a field that is bound to the operation. */
  readonly fields: Readonly<Record<string, string>>;
  /** Plain fields with the REST properties they read. */
  readonly properties: readonly PropertyOf[];
};

export type PropertyOf = {
  readonly coordinate: string;
  readonly type: TypeNode;
  /** The schema object that declares it. */
  readonly holder: Path;
  readonly property: string;
  /** The bound field whose `connection` names the property: a finding may stand there instead. */
  readonly connection?: string;
};

/** The field that `@rest(connection:)` makes, and the REST property that it is made of. */
const made: Readonly<Record<string, string>> = { nodes: "items", edges: "items" };

/**
 * `holders`: GraphQL type → the schema object that declares its properties; `moved`: the same by field, for exceptions;
 * `connections`: connection type → the bound field that makes it.
 */
export function readPair(
  folder: string,
  { name, rows, fields }: Pick<Pair, "name" | "rows" | "fields">,
  holders: Readonly<Record<string, Path>>,
  moved: Readonly<Record<string, Path>> = {},
  connections: Readonly<Record<string, string>> = {},
): Pair {
  const names = (readdirSync(folder, { recursive: true }) as string[]).filter((file) =>
    /\.(ya?ml|graphql)$/.test(file),
  );
  const files = new Map(names.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
  const document = parse(files.get("schema.graphql") ?? "");
  const properties = document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return [];
    const holder = holders[definition.name.value];
    const plain = (definition.fields ?? []).filter((field) => !uses(field, "rest") && !restName(field).self);
    const connection = connections[definition.name.value];
    return plain.flatMap((field): PropertyOf[] => {
      if (connection && field.name.value === "pageInfo") return [];
      const property = (connection && made[field.name.value]) ?? restName(field).name ?? field.name.value;
      const coordinate = `${definition.name.value}.${field.name.value}`;
      const at = moved[coordinate] ?? holder;
      return at
        ? [{ coordinate, type: field.type, holder: at, property, ...(connection && { connection }) }]
        : [];
    });
  });
  return { name, files, rows, fields, properties };
}

export const withFile = (pair: Pair, file: string, text: string): Map<string, string> =>
  new Map([...pair.files, [file, text]]);

/** The project of a spec whose schema is valid. */
export function validProject(files: ReadonlyMap<string, string>): ValidProject {
  const project = new Project(textFiles(files));
  if (!isValid(project)) throw new Error(project.diagnostics.map(({ message }) => message).join("\n"));
  return project;
}

export const uses = (field: FieldDefinitionNode, directive: string): boolean =>
  field.directives?.some(({ name }) => name.value === directive) === true;

function restName(field: FieldDefinitionNode): { name?: string; self?: boolean } {
  const given = field.directives?.find(({ name }) => name.value === "restName")?.arguments ?? [];
  const name = given.find((argument) => argument.name.value === "name")?.value as StringValueNode | undefined;
  return {
    ...(name && { name: name.value }),
    ...(given.some((each) => each.name.value === "self") && { self: true }),
  };
}

/** The path of a schema, or of a place in it. */
export const schemas = (name: string, ...below: (string | number)[]): Path => [
  "components",
  "schemas",
  name,
  ...below,
];

export const depot = (): Pair => {
  const page = schemas("ParcelList", "properties", "result");
  const insured = schemas("ContentBase");
  return readPair(
    join(import.meta.dirname, "../../../depot/spec"),
    { name: "depot", rows: depotRows, fields: depotFields },
    {
      Warehouse: schemas("Warehouse", "allOf", 1),
      Address: schemas("Address"),
      Geo: schemas("Address", "properties", "geo"),
      Person: schemas("Person"),
      ParcelPage: page,
      PageInfo: [...page, "properties", "page"],
      Parcel: schemas("Parcel", "allOf", 1),
      Goods: schemas("Goods", "allOf", 1),
      Letter: schemas("Letter", "allOf", 1),
      Money: schemas("Money"),
      Courier: schemas("Courier"),
    },
    {
      "Warehouse.name": schemas("Named", "allOf", 1),
      "Warehouse.createdOn": schemas("Entity"),
      "Parcel.revision": schemas("Entity"),
      "Goods.isInsured": insured,
      "Letter.isInsured": insured,
    },
  );
};
