/**
 * Members that are told apart by a property are so for every value that the document allows: the value is an object of the
 * member that the run time chooses by the property, and of no other. Ajv judges. `COMPOSED_CASES` sets the number of documents.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { discriminate } from "../../../../src/engine/build/openapi/shapes/discriminate.ts";
import { shapeAt } from "../../../../src/engine/build/openapi/shapes/read-shape.ts";
import { nodeBelow, type Variants } from "../../../../src/engine/build/openapi/shapes/shape.ts";
import {
  resolveTypeByProperty,
  resolveTypeByValue,
} from "../../../../src/engine/runtime/rest/resolve-type.ts";
import { randomOf } from "../../../support/random.ts";
import { seed as seedOfRun } from "../../../support/seed.ts";
import { openapi, type Random, type Schema, sample, type World, world } from "../bind/composed/schemas.ts";
import { restDocument } from "./rest-document.ts";

const kinds: fc.Arbitrary<Schema> = fc.constantFrom<Schema>(
  { type: "string", enum: ["x", "y"] },
  { type: "string", enum: ["z"] },
  { const: "x" },
  { const: "y" },
  { type: ["string", "null"], enum: ["z", null] },
  { type: "integer", enum: [1] },
  { type: "string" },
);

const type = fc.constantFrom("object", "object", "object", ["object", "null"]);

const withKinds: fc.Arbitrary<Schema> = fc.record({
  type,
  required: fc.constantFrom(["a"], ["a"], ["a", "b"], []),
  properties: fc.record({ a: kinds, b: kinds }),
});

const never = fc.constantFrom<unknown>(false, { not: {} }, { not: { type: "string" } });

/** Objects that may be closed, or forbid properties, also as parts of an `allOf` and as members of a `oneOf`. */
const held: fc.Arbitrary<Schema> = fc
  .record({
    type,
    required: fc.constantFrom(["a"], ["b"], ["c"], ["a", "b"], []),
    properties: fc
      .tuple(
        fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constant<unknown>({ type: "string" })),
        fc.dictionary(fc.constantFrom("a", "b", "c"), never, { maxKeys: 2 }),
      )
      .map((parts) => Object.assign({}, ...parts)),
    rest: fc.constantFrom<object>(
      { additionalProperties: false },
      { additionalProperties: false },
      { additionalProperties: { not: {} }, patternProperties: { "^b$": {} } },
      { additionalProperties: { type: "string" } },
      {},
    ),
  })
  .map(({ rest, ...schema }) => ({ ...schema, ...rest }));

const composedHeld: fc.Arbitrary<Schema> = fc.oneof(
  { weight: 6, arbitrary: held },
  { weight: 1, arbitrary: fc.tuple(held, held).map((allOf) => ({ allOf })) },
  { weight: 1, arbitrary: fc.tuple(held, held).map((anyOf) => ({ anyOf })) },
);

const anySchema = world.map((each) => each.answers[0] as Schema);
const members = (arbitrary: fc.Arbitrary<Schema>): fc.Arbitrary<Schema[]> =>
  fc.array(fc.oneof({ weight: 15, arbitrary }, { weight: 1, arbitrary: anySchema }), {
    minLength: 2,
    maxLength: 3,
  });

/** Mostly objects that may be told apart; sometimes any schema. */
const unions: fc.Arbitrary<World> = fc
  .tuple(world, fc.constantFrom("oneOf", "anyOf"), fc.oneof(members(withKinds), members(composedHeld)))
  .map(([{ schemas }, keyword, list]) => ({ schemas, answers: [{ [keyword]: list }] }));

/** A value near the schema, or any object with some of the properties. */
function nearValue(composed: World, random: Random): unknown {
  const [answer] = composed.answers;
  if (random() < 0.5) return JSON.parse(JSON.stringify(sample(composed, answer as Schema, random)));
  const chosen = ["a", "b", "c", "d"].filter(() => random() < 0.4);
  return Object.fromEntries(chosen.map((name) => [name, ["x", "y", "z", 1, null][Math.floor(random() * 5)]]));
}

/** The index of the member that the run time chooses, as text. */
function chosenOf({ property, members }: Variants, value: object): string {
  const names = Object.fromEntries(
    members.flatMap(({ values }, index) => values.map((each) => [each, `${index}`])),
  );
  const otherwise = members.findIndex(({ values }) => values.length === 0);
  return property === undefined
    ? resolveTypeByProperty(value, names, otherwise < 0 ? undefined : `${otherwise}`)
    : resolveTypeByValue((value as Record<string, unknown>)[property], names);
}

test("a value of a union is an object of the member that its property selects, and of no other", () => {
  const judged = { byValue: 0, byProperty: 0, values: 0 };
  fc.assert(
    fc.property(unions, fc.nat(), (composed, seed) => {
      const document = restDocument(openapi(composed));
      const at = ["paths", "/f0", "get", "responses", "200", "content", "application/json", "schema"];
      const { variants } = shapeAt(document, nodeBelow(document.root, ...at));
      const told = variants && discriminate(variants);
      if (!told) return;
      if (told.property === undefined) judged.byProperty++;
      else judged.byValue++;
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      const components = { schemas: composed.schemas };
      const validate = (schema: unknown) => ajv.compile({ allOf: [schema], components });
      const allows = validate(composed.answers[0]);
      const members = told.members.map(({ node }) => validate(node.value));
      const random = randomOf(seed);
      for (let count = 0; count < 40; count++) {
        const value = nearValue(composed, random);
        if (typeof value !== "object" || value === null || !allows(value)) continue;
        judged.values++;
        const fitting = members.flatMap((fits, index) => (fits(value) ? [`${index}`] : []));
        expect([chosenOf(told, value)], JSON.stringify([composed.answers, value])).toEqual(fitting);
      }
    }),
    { numRuns: Number(process.env.COMPOSED_CASES ?? 1_600), seed: seedOfRun },
  );
  // a generator whose members are never told apart would find no hole
  expect(judged.byValue).toBeGreaterThan(10);
  expect(judged.byProperty).toBeGreaterThan(50);
  expect(judged.values).toBeGreaterThan(500);
}, 600_000);
