/** Binds random types to a random document, without the fields that do not fit. */
import type { GraphQLSchema } from "graphql";
import { bindSdl } from "../../../../../src/engine/build/bind/bind.ts";
import { Project } from "../../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../../src/engine/build/project/spec-files.ts";
import { sdl, type Types } from "./schemas.ts";

const start = "type Query { f0: Boolean }";

/** Binds; leaves out the fields with errors, and the fields of types without fields, until there are none. */
export function bindWithoutErrors(
  rest: string,
  given: Types,
): { readonly schema: GraphQLSchema; readonly text: string } | undefined {
  const texts = new Map([
    ["openapi.yaml", rest],
    ["schema.graphql", start],
  ]);
  const { model: parsed } = new Project(textFiles(texts));
  if (!parsed) throw new Error("no model");
  let left = new Map(given);
  while ([...left.keys()].some((at) => at.startsWith("Query."))) {
    const empty = ["T", "U", "M"].filter((type) => ![...left.keys()].some((at) => at.startsWith(`${type}.`)));
    const usesEmpty = ([, type]: [string, string]): boolean => empty.includes(type.replace(/\W/g, ""));
    if ([...left].some(usesEmpty)) {
      left = new Map([...left].filter((entry) => !usesEmpty(entry)));
      continue;
    }
    const text = sdl(left);
    const { model, diagnostics } = bindSdl(parsed, text);
    if (!model) throw new Error("no schema");
    const wrong = new Set(
      diagnostics.flatMap(({ severity, coordinate }) => (severity === "error" ? [coordinate] : [])),
    );
    if (wrong.size === 0) return { schema: model.schema, text };
    left = new Map([...left].filter(([at]) => !wrong.has(at)));
  }
  return undefined;
}
