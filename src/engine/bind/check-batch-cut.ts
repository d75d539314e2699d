/**
 * Checks that paging cannot silently cut off part of a batched call's response. If each key has one object, the page
 * must be as long as a chunk. If each key has a list, the length of the response is unknown, and a page could leave out
 * items of the last parents: the document must say (`x-limit-per`) that the page size applies to each key.
 */

import { inputKey, type Parameter } from "../openapi/operation.ts";
import type { Binder } from "./binder.ts";
import type { FieldInProgress } from "./field-in-progress.ts";
import { isPaging } from "./list-length.ts";
import type { Batch, Input } from "./model.ts";

export function checkBatchCut(
  binder: Binder,
  field: FieldInProgress,
  inputs: readonly Input[],
  batch: Batch,
): void {
  const fed = new Map(inputs.map((input) => [inputKey(input), input]));
  for (const parameter of field.operation.parameters) {
    if (!isPaging(parameter) || parameter.limitPer === batch.key.name) continue;
    const at = { ...field.where, rest: parameter.node };
    const input = fed.get(inputKey(parameter));
    const cut = input ? fedCut(input, batch) : unfedCut(parameter, batch);
    const hint = `feed it with params: { name: "${parameter.name}", value: ${batch.size} }`;
    if (batch.mode === "many") binder.findings.add("batch-page", at, ...pageOf(parameter, batch));
    else if (cut) binder.findings.add("batch-cut-off", at, `"${parameter.name}" is ${cut}`, hint);
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
