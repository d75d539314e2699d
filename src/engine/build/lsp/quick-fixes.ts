/** Converts the advice of a finding to edits of one file. The caller tries edits with `isProvable` before it offers them. */
import { type ASTNode, type GraphQLSchema, Kind, type Location, type TypeNode } from "graphql";
import { inputSlotsOf } from "../bind/inputs/input-slots.ts";
import type { Model } from "../bind/model.ts";
import { coveringType } from "../bind/scalar-rules.ts";
import { approvalEntry } from "../check/approvals.ts";
import type { Finding, Frame } from "../check/report.ts";
import { approvalsFile } from "../project/approvals.ts";
import type { SpecFiles } from "../project/spec-files.ts";
import { elementAt } from "../schema/schema-coordinate.ts";
import { tokensOf } from "./schema-position.ts";

type Edit = { readonly start: number; readonly end: number; readonly text: string };

/** `file`: the name of the edited file in `spec/`. */
export type Fix = Edit & {
  readonly title: string;
  readonly file: string;
  /** Whether the edit resolves the finding completely. An approval does not, because the user must add a reason. */
  readonly isProvable: boolean;
};

export const applyEdit = (before: string, { start, end, text }: Edit): string =>
  before.slice(0, start) + text + before.slice(end);

/** Parses the finding's message and advice. `model`: undefined if the current schema is invalid. */
export function fixCandidates(finding: Finding, model: Model | undefined, files: SpecFiles): Fix[] {
  return [
    ...renamings(finding, files),
    ...(model ? schemaEdits(finding, model) : []).map((edit) => ({
      ...edit,
      file: "schema.graphql",
      isProvable: true,
    })),
    ...approval(finding, files),
  ];
}

type Titled = Edit & { readonly title: string };

/** Replaces the misspelt name, which the message quotes before "did you mean". */
function renamings({ message, places }: Finding, files: SpecFiles): Fix[] {
  const [place] = places;
  const [, quoted = "", suggested = ""] = /^(.*?)[;.] [Dd]id you mean (.*)\?$/s.exec(message) ?? [];
  const file = place?.file.replace(/^spec\//, "") ?? "";
  if (!place || !/\.(?:graphql|gql)$/.test(file)) return [];
  const text = files.read(file) ?? "";
  const tokens = tokensOf(text).filter(({ start }) => start >= offsetOf(text, place) - 1);
  return names(suggested).flatMap((near) =>
    // the message may also quote correct names; the caller rejects edits that replace them
    names(quoted).flatMap((wrong): Fix[] => {
      const bare = wrong.replace(/^@/, "");
      const token = tokens.find(
        (each) => each.text === bare || (each.isString && each.text.split(".").includes(bare)),
      );
      if (!token) return [];
      const start = token.start + (token.text === bare ? 0 : `.${token.text}.`.indexOf(`.${bare}.`));
      const replacement = near.replace(/^@/, "");
      const title = `Replace "${bare}" with "${replacement}"`;
      return [{ title, file, start, end: start + bare.length, text: replacement, isProvable: true }];
    }),
  );
}

const names = (text: string): string[] => [...text.matchAll(/"([^"]+)"/g)].flatMap(([, name = ""]) => name);

function offsetOf(text: string, { line, column }: Pick<Frame, "line" | "column">): number {
  const lines = [...text.matchAll(/\r\n|\n|\r/g)];
  const end = lines[line - 2];
  return (end ? end.index + end[0].length : 0) + column - 1;
}

function schemaEdits(finding: Finding, model: Model): Titled[] {
  const node = elementAt(model.schema, finding.coordinate)?.astNode;
  if (!node?.loc) return [];
  return [
    ...restNames(finding, node, node.loc),
    ...types(finding, node),
    ...results(finding, node),
    ...removals(finding, node),
    ...newArgument(finding, model, node),
    ...enumValues(finding, model.schema),
  ];
}

/** Adds `@restName`, which leaves the GraphQL name unchanged. */
function restNames({ message, hint, coordinate }: Finding, node: ASTNode, { end }: Location): Titled[] {
  if (directiveOf(node, "restName")) return [];
  const own = /(\w+)(?::\))?$/.exec(coordinate)?.[1];
  const [, wrong, near] = /"([^"]+)"[^"]*; did you mean "([^"]+)"\?$/.exec(message) ?? [];
  const meant = near !== undefined && wrong === own ? [near] : [];
  const advised = [...hint.matchAll(/@restName\(name: "([^"]+)"\)/g)].flatMap(([, name = ""]) => name);
  return [...new Set([...advised, ...meant])].map((name) => {
    const directive = `@restName(name: ${JSON.stringify(name)})`;
    return { title: `Add ${directive}`, start: end, end, text: ` ${directive}` };
  });
}

/** Replaces the type, or removes a `!`. */
function types({ hint }: Finding, node: ASTNode): Titled[] {
  if (!("type" in node) || !node.type?.loc) return [];
  const { type } = node;
  const whole = type.loc;
  const named = namedType(type).loc;
  const [, written] =
    /(?:^write |^use |the type that REST (?:sends|takes): )`?([[A-Z][\w[\]!]*)/.exec(hint) ?? [];
  const replace = (loc: Location | undefined, text: string): Titled[] =>
    loc ? [{ title: `Change the type to ${text}`, start: loc.start, end: loc.end, text }] : [];
  if (written !== undefined)
    return [...replace(named, written), ...(named === whole ? [] : replace(whole, written))];
  if (!/^drop the (?:inner )?`!`/.test(hint)) return [];
  return nonNullEnds(type).map((at) => ({ title: "Drop the `!`", start: at - 1, end: at, text: "" }));
}

const namedType = (type: TypeNode): TypeNode => (type.kind === Kind.NAMED_TYPE ? type : namedType(type.type));

/** Returns the offset after each `!`, outermost first. */
function nonNullEnds(type: TypeNode): number[] {
  if (type.kind === Kind.NAMED_TYPE) return [];
  return [...(type.kind === Kind.NON_NULL_TYPE && type.loc ? [type.loc.end] : []), ...nonNullEnds(type.type)];
}

/** Sets the `result` argument of `@rest`. */
function results({ hint }: Finding, node: ASTNode): Titled[] {
  const rest = directiveOf(node, "rest");
  const present = rest?.arguments?.find(({ name }) => name.value === "result")?.loc;
  if (!rest?.loc || !hint.startsWith("add `result:")) return [];
  const at = rest.loc.end - 1;
  return [...hint.matchAll(/`(result: "[^"]+")`/g)].map(([, argument = ""]) => ({
    title: `Add ${argument}`,
    ...(present
      ? { start: present.start, end: present.end, text: argument }
      : { start: at, end: at, text: `, ${argument}` }),
  }));
}

function removals({ hint }: Finding, node: ASTNode): Titled[] {
  const [, name] = /^remove @(\w+)/.exec(hint) ?? [];
  const loc = name === undefined ? undefined : directiveOf(node, name)?.loc;
  return loc ? [{ title: `Remove @${name}`, start: loc.start, end: loc.end, text: "" }] : [];
}

function newArgument({ hint, coordinate }: Finding, { fields, operations }: Model, node: ASTNode): Titled[] {
  const [, name = ""] = /^add an argument "(\w+)"/.exec(hint) ?? [];
  const bound = fields.get(coordinate);
  const id = directiveOf(node, "rest")?.arguments?.find((each) => each.name.value === "operation")?.value;
  const operation =
    bound?.kind === "bound"
      ? bound.operation
      : id?.kind === Kind.STRING
        ? operations.named(id.value)
        : undefined;
  if (node.kind !== Kind.FIELD_DEFINITION || !node.name.loc || !operation) return [];
  const slot = inputSlotsOf(operation).find((each) => each.name === name);
  const type = slot && /^\w+$/.exec(coveringType(slot.shape) ?? "")?.[0];
  if (!type) return [];
  const end = node.arguments?.at(-1)?.loc?.end;
  const at = end ?? node.name.loc.end;
  return [...(type === "String" ? ["ID"] : []), type].map((each) => {
    const argument = `${name}: ${each}!`;
    return {
      title: `Add the argument ${argument}`,
      start: at,
      end: at,
      text: end ? `, ${argument}` : `(${argument})`,
    };
  });
}

function enumValues({ hint }: Finding, schema: GraphQLSchema): Titled[] {
  const [, name = "", values = ""] = /^add it to enum (\w+): (.*)$/.exec(hint) ?? [];
  const node = name === "" ? undefined : schema.getType(name)?.astNode;
  const last = node?.kind === Kind.ENUM_TYPE_DEFINITION ? node.values?.at(-1)?.loc : undefined;
  return last
    ? [{ title: `Add to enum ${name}: ${values}`, start: last.end, end: last.end, text: `\n  ${values}` }]
    : [];
}

const directiveOf = (node: ASTNode, name: string) =>
  "directives" in node ? node.directives?.find((each) => each.name.value === name) : undefined;

/** Appends an approval to `spec/approvals.yaml`. The user adds the reason, the author and the expiry date. */
function approval(finding: Finding, files: SpecFiles): Fix[] {
  if (finding.fingerprint === undefined || finding.approval) return [];
  const text = files.read(approvalsFile) ?? "";
  const start = text.length;
  const entry = `${text === "" || text.endsWith("\n") ? "" : "\n"}${approvalEntry(finding).join("\n")}\n`;
  const title = `Approve: add an entry to spec/${approvalsFile}`;
  return [{ title, file: approvalsFile, start, end: start, text: entry, isProvable: false }];
}
