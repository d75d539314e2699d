/** `restbound propose <operation>…`. */
import { type Io, runCommand } from "../../shared/cli/command.ts";
import { printable, printableSource } from "../../shared/cli/printable.ts";
import { boundFields, type Model } from "../bind/model.ts";
import { projectAt } from "../project/project.ts";
import { hasNoField, modelWithoutFields } from "./empty-schema.ts";
import { lookupHint } from "./lookup-hint.ts";
import { Proposal } from "./propose.ts";

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("restbound propose", argv, io, (line, does) =>
    line
      .description("Prints the SDL for REST operations that have no field yet, ready to paste.")
      .argument("<operation...>", 'operationIds of the OpenAPI document, or methods and paths: "GET /things"')
      .action(
        does((ids: readonly string[]) => {
          const project = projectAt(io.root);
          const isEmpty = hasNoField(project.files.read("schema.graphql"));
          const model = isEmpty ? modelWithoutFields(project.rest) : project.bound().model;
          const proposal = new Proposal(model);
          for (const id of ids) proposal.add(id);
          io.out(printableSource(proposal.sdl(isEmpty ? "type" : "extend type")));
          for (const id of ids) for (const line of remarksOn(model, id)) io.error(printable(line));
          return 0;
        }),
      ),
  );

/** Mentions existing fields and a possible link, which the user may not know about. */
function remarksOn(model: Model, name: string): string[] {
  const operation = model.operations.named(name);
  const hint = operation && lookupHint(operation);
  const fields = boundFields(model).filter((field) => field.operation === operation);
  const names = fields.map(({ coordinate }) => coordinate).join(", ");
  return [
    ...(fields.length > 0
      ? [`${name} has ${fields.length === 1 ? "a field" : "fields"} already: ${names}`]
      : []),
    ...(hint === undefined ? [] : [hint]),
  ];
}
