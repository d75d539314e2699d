/**
 * Nothing of a batched call's answer may be cut off silently. Where each key has one object, a page must be as long as a
 * chunk. Where it has a list nobody knows how long the answer is: a page of it all leaves the last parents with nothing,
 * so that the document has to say (`x-limit-per`) that it is a page for each key.
 */
import type { Binding } from "./binding.ts";
import type { Bound } from "./bound.ts";
import { isPaging } from "./list-length.ts";
import type { Batch, Input } from "./model.ts";
import { inputKey, type Parameter } from "./operations.ts";

export function checkCut(binding: Binding, bound: Bound, inputs: readonly Input[], batch: Batch): void {
  const fed = new Map(inputs.map((input) => [inputKey(input), input]));
  for (const parameter of bound.operation.parameters) {
    if (!isPaging(parameter) || parameter.limitPer === batch.key.name) continue;
    const at = { ...bound.where, rest: parameter.node };
    const input = fed.get(inputKey(parameter));
    const cut = input ? fedCut(input, batch) : unfedCut(parameter, batch);
    const hint = `feed it with params: { name: "${parameter.name}", value: ${batch.size} }`;
    if (batch.mode === "many") binding.findings.add("batch-page", at, ...pageOf(parameter, batch));
    else if (cut) binding.findings.add("batch-cut-off", at, `"${parameter.name}" is ${cut}`, hint);
  }
}

function unfedCut({ shape }: Parameter, { size }: Batch): string | undefined {
  const { default: byDefault, maximum } = shape.limits;
  const most = [byDefault, maximum].find((limit) => typeof limit === "number" && limit > 1 && limit < size);
  return most === undefined ? undefined : `fed by nothing and lets ${most} of ${size} answers through`;
}

function fedCut({ source }: Input, { size }: Batch): string | undefined {
  if (source.kind === "argument")
    return `fed by the argument "${source.path.join(".")}", which may be less than a chunk of ${size}`;
  return source.kind === "constant" && Number(source.value) < size
    ? `${source.value}, but a chunk asks for ${size} objects`
    : undefined;
}

const pageOf = ({ name }: Parameter, { key }: Batch): [message: string, hint: string] => [
  `"${name}" may bound the answer for all parents together, so that some get fewer than theirs, or none`,
  `if it bounds each one's items, say so there in the document: \`x-limit-per: ${key.name}\``,
];
