/** The examples of docs/reference/directives.md are valid, and each argument has one. */
import { Kind, parse } from "graphql";
import { expect, test } from "vitest";
import { startProject } from "../../../src/engine/build/init/start-project.ts";
import { bindingDefinitions } from "../../../src/engine/build/schema/directives.ts";
import { restDocument } from "../../engine/build/openapi/rest-document.ts";
import { blocksOf, read, tableOf } from "./page.ts";

const page = read("docs/reference/directives.md");

test("the connection of docs/reference/mapping.md is what propose prints for its document", () => {
  const [, section = ""] = read("docs/reference/mapping.md").split("\n### Connections\n");
  const [[openapi = ""] = [], [schema = ""] = []] = ["yaml", "graphql"].map((language) =>
    blocksOf(section, language),
  );
  const { schema: printed } = startProject(restDocument(openapi), { tag: [], operation: [], query: [] });
  expect(schema.trim()).toBe(printed.trim());
});

/** `@rest(operation:)`, `@restEntries`, `RestParam.from`: what the definitions of the directives let a schema say. */
const sayable = bindingDefinitions.definitions.flatMap((node) => {
  if (node.kind === Kind.DIRECTIVE_DEFINITION)
    return node.arguments?.length
      ? node.arguments.map(({ name }) => `@${node.name.value}(${name.value}:)`)
      : [`@${node.name.value}`];
  return node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION
    ? (node.fields ?? []).map(({ name }) => `${node.name.value}.${name.value}`)
    : [];
});

test("directive arguments", () => {
  const rows = tableOf(page, "argument").map((cells) => cells.map((cell) => cell.replaceAll("`", "")));
  expect(rows.map(([name]) => name)).toEqual(sayable);
  for (const [name = "", example = ""] of rows) {
    const argument = /(\w+):?\)?$/.exec(name)?.[1];
    expect(example).toMatch(
      name.startsWith("@") && !name.includes("(") ? name : new RegExp(`\\b${argument}: `),
    );
    expect(() => parse(`type T { field: Int ${example} }`)).not.toThrow();
  }
});
