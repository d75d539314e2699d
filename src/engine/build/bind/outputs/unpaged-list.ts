/**
 * Reports signs that a list is paged, because `in: ITEM` could miss a key on another page. A parameter name such as `cursor` is
 * enough, because documents do not declare that a list is complete.
 */
import { type RestOperation, showableResponses } from "../../openapi/operation.ts";
import { responseProperties, type Shape } from "../../openapi/shapes/shape.ts";
import { normalizeName } from "../../schema/graphql-names.ts";
import type { FieldContext } from "../field-context.ts";
import type { FindingTarget } from "../findings.ts";
import { type InputSlot, inputSlotsOf } from "../inputs/input-slots.ts";
import { isPagingParameter } from "../list-length.ts";
import { pagingNames as names, nestedObjects } from "./paging-names.ts";

export function checkUnpagedList(field: FieldContext, where: FindingTarget): void {
  const { operation, directive } = field;
  const { findings, document } = field.binder;
  const sign =
    findPagingSign(operation) ??
    (directive.connection ? { text: "a `connection`", node: operation.node } : undefined);
  if (!sign) return;
  findings.add(
    "batch-paged",
    { ...where, rest: sign.node },
    `${where.coordinate} looks its keys up in the response of ${operation.id}, but that may be a page: it has ${sign.text}`,
    `bind an operation that takes the keys; or, if the response is always complete, remove that from the document in ${document.overlayAt(operation.root)}`,
  );
}

export function findPagingSign(operation: RestOperation) {
  const answers = showableResponses(operation).flatMap(({ shape }) => pagingProperties(shape));
  const [sign] = [
    ...inputSlotsOf(operation)
      .filter(isOfPages)
      .map(({ in: at, name, node }) => ({ text: `the ${at} parameter "${name}"`, node })),
    ...answers.map(({ name, node }) => ({ text: `the property "${name}"`, node })),
    ...operation.successes.flatMap(({ headers }) =>
      [...headers].flatMap(([name, node]) =>
        pageHeader.test(name) ? [{ text: `the header "${name}"`, node }] : [],
      ),
    ),
  ];
  return sign;
}

const counted = new Set(names.first);
const placed = new Set([...names.after, ...names.page, ...names.offset, ...names.before, "pageoffset"]);
const beside = new Set([
  ...names.next,
  ...names.address,
  ...names.more,
  ...names.nextNumber,
  "pagination",
  "paging",
  "pageinfo",
  "totalpages",
  "pagecount",
  "previouspage",
  "prevpage",
]);

function isOfPages(slot: InputSlot): boolean {
  const { shape, name, only } = slot;
  const isNumber = shape.types.size === 0 || shape.types.has("integer") || shape.types.has("number");
  const letters = normalizeName(name);
  const isTime = shape.format?.startsWith("date") === true;
  return (
    slot.in !== "path" &&
    only !== "response" &&
    (isPagingParameter(slot) || (isNumber && counted.has(letters)) || (placed.has(letters) && !isTime))
  );
}

/** `Link` (RFC 8288), `Content-Range` and usual non-standard headers. */
const pageHeader =
  /^(?:link|content-range|(?:x-)?(?:next-?page|prev-?page|page|per-?page|total-?pages|pagination).*)$/i;

/** Returns properties with paging names, such as `next`, beside the list or in an object beside it. */
const pagingProperties = (shape: Shape) =>
  nestedObjects(shape, 2).flatMap(([, object]) =>
    responseProperties(object).filter(({ name }) => beside.has(normalizeName(name))),
  );
