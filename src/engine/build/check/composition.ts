/**
 * `check --compose`: composes the project's subgraph with the other subgraphs of its supergraph (Apollo Federation v2), to
 * detect REST changes that break the supergraph.
 */
import { readFileSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  parse,
} from "graphql";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { installAdvice } from "../../shared/engine-manifest.ts";
import { own } from "../../shared/own.ts";
import type { FileLocation } from "../diagnostic.ts";
import type { ValidProject } from "../project/project.ts";
import { nodeLocation } from "../schema/directives.ts";
import { frameAt } from "./frame.ts";
import { type Finding, ruleFinding } from "./report.ts";

type Subgraph = { readonly name: string; readonly typeDefs: ReturnType<typeof parse> };

/** The name of the project's subgraph in the composition library's messages. */
const ownName = "this subgraph";

/** Reads subgraphs from SDL files and names them after the files. Throws `UsageError` if a file cannot be read. */
export function readSubgraphs(root: string, files: readonly string[]): Subgraph[] {
  const advice = files.length > 0 ? installAdvice("composition") : undefined;
  if (advice !== undefined) throw new UsageError([`--compose: ${advice}`]);
  const subgraphs = files.map((file): Subgraph => {
    try {
      const typeDefs = parse(readFileSync(resolve(root, file), "utf8"));
      return { name: basename(file, extname(file)), typeDefs };
    } catch (error) {
      throw new UsageError([`--compose ${file}: ${(error as Error).message}`]);
    }
  });
  const names = subgraphs.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new UsageError([`--compose: two files are named "${twice}"; a subgraph has the name of its file`]);
  return subgraphs;
}

/**
 * Composes the supergraph and returns the errors as findings. Throws `UsageError` if `sdl`, the text of
 * `generated/subgraph.graphql`, is missing: the project is then not a subgraph.
 */
export async function compositionFindings(
  project: ValidProject,
  sdl: string | undefined,
  subgraphs: readonly Subgraph[],
): Promise<Finding[]> {
  if (subgraphs.length === 0) return [];
  if (sdl === undefined)
    throw new UsageError(["--compose requires a subgraph: spec/schema.graphql has no @link to federation"]);
  const { composeServices } = await import("@theguild/federation-composition");
  const { errors = [] } = composeServices([{ name: ownName, typeDefs: parse(sdl) }, ...subgraphs]);
  const { model } = project;
  const messages = [...new Set(errors.map(({ message }) => message))];
  return messages.map((message) => {
    const [coordinate, location] = placeIn(model.schema, message);
    return ruleFinding("composition-failed", coordinate, {
      message,
      hint: "change the schema so that it agrees with the other subgraphs, or change them first",
      places: location ? [frameAt(project, "schema", location)] : [],
    });
  });
}

/** Finds the first schema coordinate in a message, and the location of its definition. */
function placeIn(
  schema: GraphQLSchema,
  message: string,
): readonly [coordinate: string, location: FileLocation | undefined] {
  for (const [coordinate, name = "", member = ""] of message.matchAll(
    /\b([_A-Za-z]\w*)(?:\.([_A-Za-z]\w*))?/g,
  )) {
    const type = schema.getType(name);
    if (!type) continue;
    const hasFields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type);
    const field =
      hasFields && member !== ""
        ? own<GraphQLField<unknown, unknown> | GraphQLInputField>(type.getFields(), member)
        : undefined;
    const location = nodeLocation(field?.astNode ?? type.astNode);
    if (location) return [field ? coordinate : name, location];
  }
  return ["schema", undefined];
}
