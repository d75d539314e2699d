/** Breaking edits of response properties: every operator is applied to every plain field of a pair. */
import { Kind, type TypeNode } from "graphql";
import type { Mutation } from "./mutation.ts";
import type { Pair, PropertyOf } from "./pair.ts";
import { type Edit, type Path, YamlEdit } from "./yaml-edit.ts";

export function propertyMutations(pair: Pair): Mutation[] {
  const yaml = new YamlEdit(pair.files.get("openapi.yaml") ?? "");
  const is30 = String(yaml.value(["openapi"])).startsWith("3.0");
  return pair.properties.flatMap((property) => {
    const edits = Object.entries(operators(yaml, property, is30));
    return edits.flatMap(([operator, make]): Mutation[] => {
      const edit = make();
      const name = `${pair.name}: ${property.coordinate} ${operator}`;
      const { coordinate, connection } = property;
      const coordinates = connection ? [coordinate, connection] : [coordinate];
      return edit ? [{ name, file: "openapi.yaml", edit, coordinates }] : [];
    });
  });
}

function operators(yaml: YamlEdit, of: PropertyOf, is30: boolean): Record<string, () => Edit | undefined> {
  const { holder, property, type } = of;
  const at: Path = [...holder, "properties", property];
  const value = yaml.value(at) as Record<string, unknown>;
  const required = yaml.value([...holder, "required"]) as string[] | undefined;
  const index = required?.indexOf(property) ?? -1;
  const asJson = (schema: unknown): string => JSON.stringify(schema);
  const isList = bare(type).kind === Kind.LIST_TYPE;
  return {
    removed: () => yaml.remove(at),
    renamed: () => yaml.rename(at, `${property}_2`),
    retyped: () => yaml.replace(at, asJson({ type: otherType(type) })),
    "made nullable": () => {
      // GraphQL shows null for a value that is left out too
      if (mayBeNull(value) || index < 0) return undefined;
      return yaml.replace(
        at,
        asJson(is30 ? { nullable: true, allOf: [value] } : { anyOf: [value, { type: "null" }] }),
      );
    },
    "made optional": () => {
      if (index < 0 || mayBeNull(value)) return undefined;
      const edit = yaml.remove([...holder, "required", index]);
      // a finding may stand at the line of the list or of the property
      return { ...edit, lines: [...edit.lines, new YamlEdit(edit.text).lineOf(at)] };
    },
    moved: () =>
      yaml.rename(
        at,
        `moved: { type: object, properties: { ${property}: ${asJson(value)} } }\n${indentOf(yaml, at)}gone`,
      ),
    "made a list": () => (isList ? undefined : yaml.replace(at, asJson({ type: "array", items: value }))),
    "made a single value": () => (isList && value.items ? yaml.replace(at, asJson(value.items)) : undefined),
    widened: () =>
      nameOf(type) === "Int" ? yaml.replace(at, asJson({ type: "integer", format: "int64" })) : undefined,
  };
}

/** For block maps only: a flow map stands on one line. */
const indentOf = (yaml: YamlEdit, at: Path): string => " ".repeat(yaml.columnOf(at));

const bare = (type: TypeNode): TypeNode => (type.kind === Kind.NON_NULL_TYPE ? type.type : type);

function nameOf(type: TypeNode): string {
  const inner = bare(type);
  return inner.kind === Kind.NAMED_TYPE ? inner.name.value : "";
}

export const mayBeNull = (value: Record<string, unknown>): boolean =>
  value.nullable === true || (Array.isArray(value.type) && value.type.includes("null"));

function otherType(type: TypeNode): string {
  const name = nameOf(type);
  return name === "Boolean" ? "integer" : "boolean";
}
