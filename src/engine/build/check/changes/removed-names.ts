/**
 * Finds the removed or renamed property or parameter that caused an error about an unknown name. The error itself would suggest a
 * similarly spelt name, although the schema's name was correct in the base.
 */
import { isDeepStrictEqual } from "node:util";
import { membersOf } from "../../../shared/json-object.ts";
import { own } from "../../../shared/own.ts";
import type { Diagnostic, Rule } from "../../diagnostic.ts";
import { inputKey, type Parameter } from "../../openapi/operation.ts";
import type { ValidProject } from "../../project/project.ts";
import { normalizeName } from "../../schema/graphql-names.ts";
import { fieldOf } from "../../schema/schema-coordinate.ts";
import type { Cause } from "./causes.ts";

const ofMissingProperty = new Set<Rule>([
  "property-missing",
  "result-missing",
  "batch-match",
  "connection-unfit",
  "argument-unused",
  "parameter-unknown",
]);
const ofMissingParameter = new Set<Rule>(["argument-unused", "parameter-unknown"]);

/** Removes `; did you mean …?` or `; it has …` from the end of a message. */
export const messageWithoutSuggestion = (message: string): string =>
  message.replace(/; (?:did you mean "[^"]*"\?|it has [^;]*)$/, "");

/** Returns `REST removed "x"` or `REST renamed "x" to "y"`. Returns `undefined` if the error has another cause. */
export function removalMessage(
  base: ValidProject,
  head: ValidProject,
  error: Diagnostic,
  cause: Cause,
): string | undefined {
  if (error.isRemoved) return undefined;
  const found =
    (ofMissingParameter.has(error.rule) ? removedParameter(base, head, error) : undefined) ??
    (ofMissingProperty.has(error.rule) ? removedProperty(base, head, cause) : undefined);
  if (!found) return undefined;
  return found.now === undefined
    ? `REST removed "${found.was}"`
    : `REST renamed "${found.was}" to "${found.now}"`;
}

type RemovedName = { readonly was: string; readonly now?: string | undefined };

/** `cause` locates the removed property, or the `properties` object if it is now empty. */
function removedProperty(
  base: ValidProject,
  head: ValidProject,
  { node, below }: Cause,
): RemovedName | undefined {
  const path = [...node.path, ...below];
  const isEmptied = path.at(-1) === "properties";
  if (!isEmptied && path.at(-2) !== "properties") return undefined;
  const holder = { file: node.file, path: isEmptied ? path : path.slice(0, -1) };
  const old = membersOf(base.model.document.valueAt(holder));
  const now = membersOf(head.model.document.valueAt(holder));
  const gone = Object.keys(old).filter((name) => !Object.hasOwn(now, name));
  const was = isEmptied ? gone[0] : String(path.at(-1));
  if (was === undefined || !gone.includes(was) || (isEmptied && gone.length > 1)) return undefined;
  const added = Object.keys(now).filter((name) => !Object.hasOwn(old, name));
  const same = added.filter((name) => isDeepStrictEqual(own(now, name), own(old, was)));
  return { was, now: gone.length === 1 && same.length === 1 ? same[0] : undefined };
}

function removedParameter(
  base: ValidProject,
  head: ValidProject,
  error: Diagnostic,
): RemovedName | undefined {
  const field = base.model.fields.get(fieldOf(error.coordinate));
  if (field?.kind !== "bound") return undefined;
  const { operation } = field;
  const current = head.model.operations.versionOf(operation);
  if (!current) return undefined;
  const without = (all: readonly Parameter[], others: readonly Parameter[]): readonly Parameter[] => {
    const keys = new Set(others.map(inputKey));
    return all.filter((each) => !keys.has(inputKey(each)));
  };
  const gone = without(operation.parameters, current.parameters);
  // by `@restName`, argument and parameter may have different names; the message quotes both
  const quoted = new Set(
    [...error.message.matchAll(/"([^"]*)"/g)].map(([, name = ""]) => normalizeName(name)),
  );
  const was = gone.find(({ name }) => quoted.has(normalizeName(name)));
  if (!was) return undefined;
  const added = without(current.parameters, operation.parameters);
  const schemaOf = ({ in: location, node }: Parameter): unknown => {
    const { name: _, description: _description, ...others } = membersOf(node.value);
    return [location, others];
  };
  const same = added.filter((each) => isDeepStrictEqual(schemaOf(each), schemaOf(was)));
  return { was: was.name, now: gone.length === 1 && same.length === 1 ? same[0]?.name : undefined };
}
