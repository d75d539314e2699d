/**
 * Stage 6: every REST operation must have a GraphQL field, or an entry with a reason in `spec/rest-only.yaml`, so that nobody
 * overlooks a new REST operation.
 */

import { quoteArgument } from "../../shared/cli/printable.ts";
import { isRecord } from "../../shared/json-object.ts";
import { suggestOperations } from "../bind/find-operation.ts";
import { boundFields, type Model } from "../bind/model.ts";
import { unreadableSpec } from "../diagnostic.ts";
import { operationLabel, type RestOperation } from "../openapi/operation.ts";
import { isOperationPattern, operationsOf } from "../openapi/operation-pattern.ts";
import type { YamlFile } from "../openapi/yaml-file.ts";
import type { Project, ValidProject } from "../project/project.ts";
import { renamedOperations } from "./changes/renamed-operations.ts";
import { frameAt } from "./frame.ts";
import { type Finding, ruleFinding } from "./report.ts";

const ledgerFile = "rest-only.yaml";

/**
 * Reports operations that have no field and no entry. Skips an operation that was renamed after the base: the field with its old
 * name already has a finding.
 */
export function restOnlyFindings(project: ValidProject, base?: ValidProject): Finding[] {
  const { model } = project;
  const ledger = readLedger(project);
  // no file: operations need no field
  if (!ledger) return [];
  const bound = boundOperations(model);
  const listed = new Set([...ledger.entries.keys()].flatMap((key) => operationsOf(model.operations, key)));
  const renamed = base && renamedOperations(base, project);
  const undecided = [...model.operations.values()].filter(
    (operation) => !bound.has(operation.id) && !listed.has(operation) && !renamed?.has(operation.id),
  );
  return [...undecidedFindings(project, model, undecided), ...staleEntries(project, model, ledger, bound)];
}

/** If more operations than this are undecided, they become one finding, so that other findings remain visible. */
const mostListed = 5;
/** The joint finding names at most this many operations. */
const mostNamed = 10;

function undecidedFindings(project: Project, model: Model, undecided: readonly RestOperation[]): Finding[] {
  const { document } = model;
  const lack = `no GraphQL field, and no entry in spec/${ledgerFile}`;
  const finding = ({ id, node }: RestOperation, message: string, hint: string): Finding =>
    ruleFinding("operation-undecided", id, {
      message,
      hint,
      places: [frameAt(project, "rest", document.place(node))],
    });
  const [first] = undecided;
  if (first && undecided.length > mostListed) {
    const ids = undecided.slice(0, mostNamed).map(({ id }) => id);
    if (undecided.length > mostNamed) ids.push(`${undecided.length - mostNamed} more`);
    const entries = patternsFor(model, undecided).map((pattern) => `${JSON.stringify(pattern)}: <reason>`);
    return [
      finding(
        first,
        `${undecided.length} REST operations have ${lack}: ${ids.join(", ")}`,
        `add fields (npm run propose), or entries to spec/${ledgerFile}: ${entries.join(", ")}`,
      ),
    ];
  }
  return undecided.map((operation) =>
    finding(
      operation,
      `${operationLabel(operation)} has ${lack}`,
      `add a field (npm run propose -- ${quoteArgument(operation.id)}), or "${operation.id}: <reason>" to spec/${ledgerFile}`,
    ),
  );
}

/**
 * Suggests entries of `rest-only.yaml` for the undecided operations. Prefers the tags and path patterns that match the most
 * undecided operations and no other operation. Lists the remaining operations by id.
 */
function patternsFor({ operations }: Model, undecided: readonly RestOperation[]): string[] {
  const open = new Set(undecided);
  const candidates = new Set(
    undecided.flatMap((operation) => [
      ...tagsOf(operation).map((tag) => `tag:${tag}`),
      ...pathPatterns(operation),
    ]),
  );
  const exact = [...candidates]
    .map((pattern) => ({ pattern, taken: operationsOf(operations, pattern) }))
    .filter(({ taken }) => taken.length > 1 && taken.every((each) => open.has(each)))
    .sort((one, other) => other.taken.length - one.taken.length);
  const patterns: string[] = [];
  for (const { pattern, taken } of exact) {
    if (!taken.some((each) => open.has(each))) continue;
    patterns.push(pattern);
    for (const each of taken) open.delete(each);
  }
  const single = [...open].map(({ id }) => id);
  return [...patterns, ...single.slice(0, mostNamed), ...(single.length > mostNamed ? ["…"] : [])];
}

const tagsOf = ({ node }: RestOperation): string[] =>
  isRecord(node.value) && Array.isArray(node.value.tags) ? node.value.tags.map(String) : [];

/** Returns a pattern for each prefix of the path: for example, `/v2/*` and `/v2/admin/*` for `/v2/admin/{id}`. */
function pathPatterns({ path }: RestOperation): string[] {
  const steps = path.split("/");
  return steps.slice(2).map((_, index) => `${steps.slice(0, index + 2).join("/")}/*`);
}

const boundOperations = (model: Model): Set<string> =>
  new Set(boundFields(model).map(({ operation }) => operation.id));

type Ledger = { file: YamlFile; entries: ReadonlyMap<string, unknown> };

/** Throws `UnreadableSpec` if the file is not a YAML map. */
function readLedger(project: Project): Ledger | undefined {
  const file = project.yaml(ledgerFile);
  if (!file) return undefined;
  if (file.value === null || file.value === undefined) return { file, entries: new Map() };
  if (!isRecord(file.value)) throw unreadableSpec(ledgerFile, "must be a map of operationId to reason");
  return { file, entries: new Map(Object.entries(file.value)) };
}

function staleEntries(project: Project, model: Model, ledger: Ledger, bound: ReadonlySet<string>): Finding[] {
  return [...ledger.entries].flatMap(([id, reason]): Finding[] => {
    const places = [frameAt(project, "file", ledger.file.place([id]))];
    const operations = operationsOf(model.operations, id);
    const hint = "remove the entry";
    if (operations.length === 0) {
      const message = isOperationPattern(id)
        ? `"${id}" matches no REST operation`
        : `there is no REST operation "${id}"${suggestOperations(id, model.operations)}`;
      return [ruleFinding("ledger-unknown", id, { message, hint: `correct its name, or ${hint}`, places })];
    }
    if (operations.every((operation) => bound.has(operation.id)))
      return [
        ruleFinding("ledger-bound", id, {
          message: isOperationPattern(id)
            ? `every operation of "${id}" has a GraphQL field by now`
            : `${id} has a GraphQL field by now`,
          hint,
          places,
        }),
      ];
    if (typeof reason === "string" && reason.trim() !== "") return [];
    const message = `${id} is in spec/${ledgerFile} without a reason`;
    return [ruleFinding("ledger-reason", id, { message, hint: "write the reason after the colon", places })];
  });
}
