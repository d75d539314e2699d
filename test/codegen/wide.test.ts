/** A wide spec takes time by its size: four times as many of one thing cost about four times the processor time. */
import { expect, test } from "vitest";
import { loadSpec } from "../../src/bind/load.ts";
import { emitSchema } from "../../src/codegen/emit-schema.ts";
import { processorMs } from "../graphql/pairs.ts";
import { widePairs } from "./wide-specs.ts";

const few = 1_000;

test.each(Object.entries(widePairs))(
  "%s: four times as many cost about four times as much",
  async (_, make) => {
    const cost = (count: number): Promise<number> => {
      const { openapi, schema } = make(count);
      const files = new Map([
        ["openapi.yaml", openapi],
        ["schema.graphql", schema],
      ]);
      return processorMs(() => {
        const { model, diagnostics } = loadSpec((name) => files.get(name));
        if (model && diagnostics.length === 0) emitSchema(model);
      });
    };
    await cost(few); // compiles
    /** The lesser of two costs: other work on the machine only adds to a cost. */
    const least = async (count: number): Promise<number> => Math.min(await cost(count), await cost(count));
    // with the square of the count it is 16 times as much; what is small is noise
    expect((await least(4 * few)) / Math.max(await least(few), 40)).toBeLessThan(7);
  },
);
