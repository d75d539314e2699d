/**
 * Generated code of random composed documents passes the compiler. `COMPOSED_TYPES` sets the number of documents with
 * something bound.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { bindWithoutErrors } from "../bind/composed/bound.ts";
import { validators } from "../bind/composed/judge.ts";
import { openapi, randomOf, sample, typesFor, world } from "../bind/composed/schemas.ts";
import { generatedFiles, typeErrors } from "./type-check.ts";

const wanted = Number(process.env.COMPOSED_TYPES ?? 5);

test("the resolvers of a composed document type-check", async () => {
  let compiled = 0;
  for (const [seed, composed] of fc.sample(world, { numRuns: 20 * wanted, seed: 5 }).entries()) {
    if (compiled === wanted) break;
    const random = randomOf(seed);
    const allowed = validators(composed);
    const values = composed.answers.map((answer, index) =>
      Array.from({ length: 40 }, () => sample(composed, answer, random)).find(
        (each) => typeof each === "object" && each !== null && allowed[index]?.(each),
      ),
    );
    const bound = bindWithoutErrors(openapi(composed), typesFor(values, random));
    if (!bound?.text.includes("type T")) continue;
    compiled++;
    const files = await generatedFiles(bound.text, openapi(composed));
    expect(typeErrors(files), `${bound.text}\n${openapi(composed)}`).toEqual([]);
  }
  expect(compiled).toBe(wanted);
}, 300_000);
