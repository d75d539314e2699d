/** The command `restbound propose`. */
import { type Io, runCommand } from "../../shared/cli/command.ts";
import { printable, printableSource } from "../../shared/cli/printable.ts";
import { boundFields, type Model } from "../bind/model.ts";
import { type Diagnostic, UnreadableSpec } from "../diagnostic.ts";
import { Project, projectAt } from "../project/project.ts";
import { hasNoField, modelWithoutFields } from "./empty-schema.ts";
import { addedKeyLinks } from "./key-links.ts";
import { lookupHint } from "./lookup-hint.ts";
import { Proposal } from "./propose.ts";

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("restbound propose", argv, io, (line, does) =>
    line
      .description("Prints the SDL for REST operations that have no field yet, ready to paste.")
      .argument("<operation...>", 'operationIds of the OpenAPI document, or methods and paths: "GET /things"')
      .action(
        does((ids: readonly string[]) => {
          const { model, schema, faults } = proposableModel(projectAt(io.root));
          const proposal = new Proposal(model);
          const skipped = new Set(ids.filter((id) => !proposal.add(id)));
          const sdl = proposal.sdl(schema === "" ? "type" : "extend type");
          if (sdl !== "") io.out(printableSource(sdl));
          const links = schema === undefined ? "" : addedKeyLinks(model, schema, sdl);
          if (links !== "") io.out(printableSource(`\n${links}`));
          for (const fault of faults) io.error(printable(fault));
          for (const id of ids)
            for (const line of remarksOn(model, id, skipped.has(id))) io.error(printable(line));
          return 0;
        }),
      ),
  );

/**
 * The model for proposals. `schema` is the text of the schema: "" if the schema has no field, and `undefined` if it is invalid.
 * `faults` lists errors in the spec that do not prevent proposals.
 */
type Proposable = {
  readonly model: Model;
  readonly schema: string | undefined;
  readonly faults: readonly string[];
};

function proposableModel(given: Project): Proposable {
  const { project, faults } = withoutBrokenOverlays(given);
  const { rest } = project;
  const schema = project.files.read("schema.graphql");
  if (hasNoField(schema)) return { model: modelWithoutFields(rest), schema: "", faults };
  const errors = failureOf(() => project.bound());
  const [first, ...others] = errors.map(({ coordinate, message }) => `${coordinate}: ${message}`);
  if (first === undefined) return { model: project.bound().model, schema, faults };
  const more = others.length > 0 ? `, and ${others.length} more errors` : "";
  const model = failureOf(() => project.model).length === 0 ? project.model : undefined;
  return model
    ? { model, schema, faults: [...faults, `the spec has an error elsewhere: ${first}${more}`] }
    : {
        model: modelWithoutFields(rest),
        schema: undefined,
        faults: [...faults, `the schema is not valid, so names may be taken: ${first}${more}`],
      };
}

/** Returns the project minus its unreadable overlays, and why they are unreadable. */
function withoutBrokenOverlays(project: Project): { project: Project; faults: readonly string[] } {
  const { files } = project;
  const broken = failureOf(() => project.rest);
  if (broken.length === 0) return { project, faults: [] };
  const overlays = new Set(broken.map(({ rest }) => rest?.file ?? ""));
  if (![...overlays].every((file) => /(?:^|[./])overlay\.yaml$/.test(file))) throw new UnreadableSpec(broken);
  const read = (file: string) => (overlays.has(file) ? undefined : files.read(file));
  const left = withoutBrokenOverlays(new Project({ ...files, read }));
  return { ...left, faults: [...broken.map(({ message }) => `left out: ${message}`), ...left.faults] };
}

function failureOf(make: () => unknown): readonly Diagnostic[] {
  try {
    make();
    return [];
  } catch (error) {
    if (error instanceof UnreadableSpec) return error.diagnostics;
    throw error;
  }
}

/** Returns remarks about existing fields that are bound to the operation, and about a possible link to it. */
function remarksOn(model: Model, name: string, isSkipped: boolean): string[] {
  const operation = model.operations.named(name);
  const hint = operation && lookupHint(operation);
  const fields = boundFields(model).filter((field) => field.operation === operation);
  const names = fields.map(({ coordinate }) => coordinate).join(", ");
  return [
    ...(fields.length > 0
      ? [
          `${isSkipped ? "skipped: " : ""}${name} has ${fields.length === 1 ? "a field" : "fields"} already: ${names}`,
        ]
      : []),
    ...(hint === undefined ? [] : [hint]),
  ];
}
