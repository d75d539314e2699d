/** A wide spec takes time by its size: four times as many of one thing cost about four times the processor time. */
import { expect, test } from "vitest";
import { emitSchema } from "../../../../src/engine/build/codegen/emit-schema.ts";
import { emitRestTypes } from "../../../../src/engine/build/codegen/rest-types/emit-rest-types.ts";
import { readOperations } from "../../../../src/engine/build/openapi/read-operations.ts";
import { Project } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";
import { leastRatio } from "../../../support/cost.ts";
import { restDocument } from "../openapi/rest-document.ts";
import { widePairs } from "./wide-specs.ts";

/** `npm run suite -- wide` takes 1,000. */
const few = Number(process.env.WIDE ?? 300);

/** What costs less is noise. */
const noiseMs = 40;

/** Other work on the machine only adds to a cost, and a square is one in each try. */
const disturbed = { retry: 2 };

test.each(Object.entries(widePairs))(
  "%s: four times as many cost about four times as much",
  disturbed,
  async (_, make) => {
    const generation = (count: number) => {
      const { openapi, schema } = make(count);
      const files = new Map([
        ["openapi.yaml", openapi],
        ["schema.graphql", schema],
      ]);
      return () => {
        const { model, diagnostics } = new Project(textFiles(files));
        if (model && diagnostics.length === 0) emitSchema(model);
      };
    };
    const one = generation(few);
    const four = generation(4 * few);
    one(); // compiles
    // with the square of the count it is 16 times as much
    expect(await leastRatio(one, four, 7, 3, noiseMs)).toBeLessThan(7);
  },
);

/** An operation whose path has `count` parameters. */
function longPath(count: number): { names: string[]; text: string } {
  const names = Array.from({ length: count }, (_, index) => `parameter${index}`);
  const parameters = names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  const get = { operationId: "get", parameters, responses: { 204: { description: "nothing" } } };
  const path = names.map((name) => `/{${name}}`).join("");
  return {
    names,
    text: JSON.stringify({
      openapi: "3.1.0",
      info: { title: "t", version: "1" },
      paths: { [path]: { get } },
    }),
  };
}

test(
  "a path of thousands of parameters: twice as many cost about twice as much, and the types have the path itself",
  disturbed,
  async () => {
    const typesOf = (count: number): Promise<string> => {
      const document = restDocument(longPath(count).text);
      return emitRestTypes(document, [...readOperations(document).values()]);
    };
    const many = 1_000;
    expect(await typesOf(many)).toContain('"/{parameter0}/{parameter1}/');
    const one = () => typesOf(many);
    const two = () => typesOf(2 * many);
    // from 16,384 characters on, twice as many parameters were 16 times as much
    expect(await leastRatio(one, two, 7, 3, noiseMs)).toBeLessThan(7);
  },
);

test(
  "a field on a path of thousands of parameters: twice as many cost about twice as much",
  disturbed,
  async () => {
    const generation = (count: number) => {
      const { names, text } = longPath(count);
      const schema = `type Query {
      get(${names.map((name) => `${name}: String!`).join(" ")}): Boolean @rest(operation: "get")
    }`;
      const files = new Map([
        ["openapi.yaml", text],
        ["schema.graphql", schema],
      ]);
      return () => {
        const { model } = new Project(textFiles(files));
        expect(model?.values.length).toBe(count);
      };
    };
    generation(few)(); // compiles
    const one = generation(2 * few);
    const two = generation(4 * few);
    expect(await leastRatio(one, two, 4, 3, noiseMs)).toBeLessThan(4);
  },
);
