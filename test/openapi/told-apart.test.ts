/**
 * Members that are told apart by a property are so for every value that the document allows: it has one of the values of
 * one member, and is an object of that member alone. Ajv judges.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { RestDocument } from "../../src/openapi/document.ts";
import { shapeAt } from "../../src/openapi/shapes/read-shape.ts";
import { nodeBelow } from "../../src/openapi/shapes/shape.ts";
import { toldApart } from "../../src/openapi/shapes/told-apart.ts";
import { openapi, randomOf, type Schema, sample, type World, world } from "../bind/composed/schemas.ts";

const kinds: fc.Arbitrary<Schema> = fc.constantFrom<Schema>(
  { type: "string", enum: ["x", "y"] },
  { type: "string", enum: ["z"] },
  { const: "x" },
  { const: "y" },
  { type: ["string", "null"], enum: ["z", null] },
  { type: "integer", enum: [1] },
  { type: "string" },
);

const member: fc.Arbitrary<Schema> = fc.record({
  type: fc.constantFrom("object", "object", "object", ["object", "null"]),
  required: fc.constantFrom(["a"], ["a"], ["a", "b"], []),
  properties: fc.record({ a: kinds, b: kinds }),
});

/** Mostly objects that may be told apart; sometimes any schema. */
const unions: fc.Arbitrary<World> = fc
  .tuple(
    world,
    fc.constantFrom("oneOf", "anyOf"),
    fc.array(
      fc.oneof(
        { weight: 9, arbitrary: member },
        { weight: 1, arbitrary: world.map((each) => each.answers[0] as Schema) },
      ),
      {
        minLength: 2,
        maxLength: 3,
      },
    ),
  )
  .map(([{ schemas }, keyword, members]) => ({ schemas, answers: [{ [keyword]: members }] }));

test("a value of members that are told apart is an object of one of them, by its property", () => {
  const judged = { told: 0, values: 0 };
  fc.assert(
    fc.property(unions, fc.nat(), (composed, seed) => {
      const document = new RestDocument("openapi.json", (file) =>
        file === "openapi.json" ? openapi(composed) : undefined,
      );
      const at = ["paths", "/f0", "get", "responses", "200", "content", "application/json", "schema"];
      const { variants } = shapeAt(document, nodeBelow(document.root, ...at));
      const told = variants && toldApart(variants);
      if (!told) return;
      judged.told++;
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      const components = { schemas: composed.schemas };
      const validate = (schema: unknown) => ajv.compile({ allOf: [schema], components });
      const [answer] = composed.answers;
      const allows = validate(answer);
      const members = told.members.map(({ node, values }) => ({ values, allows: validate(node.value) }));
      const random = randomOf(seed);
      for (let count = 0; count < 40; count++) {
        const value = sample(composed, answer as Schema, random);
        if (value === null || !allows(value)) continue;
        judged.values++;
        const kind = (value as Record<string, unknown>)[told.property];
        const chosen = members.filter(({ values }) => values.includes(kind as string));
        expect(chosen.length, JSON.stringify([composed.answers, value])).toBe(1);
        expect(members.filter((each) => each.allows(value))).toEqual(chosen);
      }
    }),
    { numRuns: 600, seed: 17 },
  );
  // a generator whose members are never told apart would find no hole
  expect(judged.told).toBeGreaterThan(20);
  expect(judged.values).toBeGreaterThan(200);
});
