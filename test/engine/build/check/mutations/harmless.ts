/** Edits that break nothing: comments, order, descriptions, additions, other notations of the same schema. */
import { parse } from "graphql";
import { isMap, parseDocument, visit } from "yaml";
import type { Mutation } from "./mutation.ts";
import type { Pair } from "./pair.ts";
import { mayBeNull } from "./properties.ts";
import { type Edit, type Path, YamlEdit } from "./yaml-edit.ts";

export function harmlessMutations(pair: Pair): Mutation[] {
  const text = pair.files.get("openapi.yaml") ?? "";
  const sdl = pair.files.get("schema.graphql") ?? "";
  const yaml = new YamlEdit(text);
  const rest = [...schemaEdits(yaml, text), ...operationEdits(yaml), ...documentEdits(text)];
  return [
    ...rest.map(([name, edited]) => of(pair, "openapi.yaml", name, edited)),
    ...sdlEdits(sdl).map(([name, edited]) => of(pair, "schema.graphql", name, edited)),
  ];
}

const of = (pair: Pair, file: Mutation["file"], name: string, text: string): Mutation => ({
  name: `${pair.name}: harmless ${name}`,
  file,
  edit: { text, lines: [], was: [] },
});

type Named = readonly [name: string, text: string];

function schemaEdits(yaml: YamlEdit, text: string): Named[] {
  const schemas = yaml.value(["components", "schemas"]) as Record<string, Record<string, unknown>>;
  const dated = String(yaml.value(["openapi"])).startsWith("3.0");
  return Object.entries(schemas).flatMap(([name, schema]): Named[] => {
    const at: Path = ["components", "schemas", name];
    const found: [string, Edit | string][] = [[`description of ${name}`, described(yaml, at, schema)]];
    if (schema.properties) {
      found.push([`new property of ${name}`, yaml.add([...at, "properties"], "brandNew: { type: string }")]);
      found.push([`${name} in another order`, yaml.replace(at, JSON.stringify(reversed(schema)))]);
      const part = dated ? { allOf: [schema] } : { allOf: [schema, { description: "same" }] };
      found.push([`${name} in an allOf`, yaml.replace(at, JSON.stringify(part))]);
      found.push([`references of ${name} inlined`, inlined(text, name)]);
      for (const [index, property] of ((schema.required ?? []) as string[]).entries()) {
        const value = (schema.properties as Record<string, Record<string, unknown>>)[property] ?? {};
        if (mayBeNull(value))
          found.push([`optional ${name}.${property}`, yaml.remove([...at, "required", index])]);
      }
    } else if (Array.isArray(schema.allOf)) {
      found.push([
        `allOf of ${name} in another order`,
        yaml.replace([...at, "allOf"], JSON.stringify([...schema.allOf].reverse())),
      ]);
    } else if (schema.enum) {
      found.push([
        `enum ${name} in another order`,
        yaml.replace([...at, "enum"], JSON.stringify([...(schema.enum as string[])].reverse())),
      ]);
    }
    return found.map(([what, edit]) => [what, typeof edit === "string" ? edit : edit.text]);
  });
}

const described = (yaml: YamlEdit, at: Path, schema: Record<string, unknown>): Edit =>
  schema.description === undefined
    ? yaml.add(at, "description: Said otherwise.")
    : yaml.replace([...at, "description"], '"Said otherwise."');

const reversed = (schema: Record<string, unknown>): Record<string, unknown> => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(schema.properties as object).reverse()),
  ...(Array.isArray(schema.required) && { required: [...schema.required].reverse() }),
});

/** Replaces the first reference to a schema by the schema itself. */
function inlined(text: string, name: string): string {
  const document = parseDocument(text);
  const schema = document.getIn(["components", "schemas", name]);
  let done = false;
  visit(document, {
    Map(_, node) {
      if (done || node.get("$ref") !== `#/components/schemas/${name}`) return undefined;
      done = true;
      return isMap(schema) ? (schema.clone() as typeof node) : undefined;
    },
  });
  return String(document);
}

function operationEdits(yaml: YamlEdit): Named[] {
  const paths = yaml.value(["paths"]) as Record<
    string,
    Record<string, { parameters?: unknown[]; operationId?: string }>
  >;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]): Named[] => {
      if (operation.operationId === undefined) return [];
      const at: Path = ["paths", path, method];
      const found: [string, Edit][] = [
        [
          `teapot of ${operation.operationId}`,
          yaml.add([...at, "responses"], '"418": { description: A teapot. }'),
        ],
      ];
      if (operation.parameters) {
        const fresh = "{ name: brandNew, in: query, schema: { type: string } }";
        found.push([
          `new optional parameter of ${operation.operationId}`,
          yaml.add([...at, "parameters"], fresh),
        ]);
        const order = JSON.stringify([...operation.parameters].reverse());
        found.push([
          `parameters of ${operation.operationId} in another order`,
          yaml.replace([...at, "parameters"], order),
        ]);
      }
      return found.map(([name, { text }]) => [name, text]);
    }),
  );
}

const documentEdits = (text: string): Named[] => [
  ["comment in front", `# a comment\n${text}`],
  ["CRLF", text.replaceAll("\n", "\r\n")],
  ["byte order mark", `\uFEFF${text}`],
  ["as JSON", JSON.stringify(parseDocument(text).toJS(), null, 1)],
  ["reformatted", parseDocument(text).toString({ indent: 4, lineWidth: 60 })],
  [
    "security said by each operation",
    /^security: \[\{/m.test(text)
      ? text.replaceAll("operationId:", "security: [{ bearer: [] }, { apiKey: [] }]\n      operationId:")
      : text,
  ],
  ["a credential's header in another case", text.replace(/name: X-API-Key$/m, "name: x-api-key")],
  ["trailing blank lines", `${text}\n\n`],
];

function sdlEdits(text: string): Named[] {
  const definitions = parse(text).definitions.map(({ loc }) => text.slice(loc?.start, loc?.end));
  return [
    ["comment in the schema", `# a comment\n${text}`],
    ["schema with CRLF", text.replaceAll("\n", "\r\n")],
    ["schema with a byte order mark", `\uFEFF${text}`],
    ["schema in another order", [...definitions].reverse().join("\n")],
    ["schema with commas", text.replaceAll(/(\w+!?)\n {2}(?=\w+:)/g, "$1,\n  ")],
    ["schema with wide space", text.replaceAll("\n  ", "\n        ")],
    ["directive arguments over lines", text.replaceAll("@rest(operation:", "@rest(\n  operation:")],
    [
      "described anew",
      text.replace(/^type (\w+) \{/m, (line) => (text.includes('"') ? line : `"Described."\n${line}`)),
    ],
  ];
}
