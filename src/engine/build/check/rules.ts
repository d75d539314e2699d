/**
 * All rules of `check`, from which `docs/reference/rules.md` is generated. Rules about the spec files are in
 * `src/engine/build/diagnostic.ts`, rules about changes in `change-catalogue.ts`, and all others here.
 */
import { type Rule as DiagnosticRule, type RuleFacts, ruleOf, rules } from "../diagnostic.ts";
import { changeRules } from "./changes/change-catalogue.ts";

const error = ruleOf("error");
const note = ruleOf("note");

export const otherRules = {
  "operation-undecided": error(
    "A REST operation has no field and is not in `spec/rest-only.yaml`. More than five are one finding. A project without that file has none.",
    "ledger",
  ),
  "ledger-unknown": error(
    "`spec/rest-only.yaml` lists an operation that the document does not have, or a pattern that matches none.",
    "ledger",
  ),
  "ledger-bound": note(
    "`spec/rest-only.yaml` lists an operation that has a field, or a pattern whose operations all have one.",
    "ledger",
  ),
  "ledger-reason": error("An operation in `spec/rest-only.yaml` has no reason.", "ledger"),
  "generated-stale": error(
    "`generated/` differs from codegen's output: the finding lists each missing, changed or surplus file. Run `npm run codegen`.",
    "freshness",
  ),
  "composition-failed": error(
    "With `--compose`: the subgraph does not compose with the other subgraphs of its supergraph. The message comes from the composition library.",
  ),
  "saved-operation-changed": note(
    "With `--base`: the text of a saved operation has changed. Clients built before send the old one, which `OPERATIONS=saved` rejects.",
    "changes",
  ),
  "saved-operation-removed": note("With `--base`: a saved operation was removed or renamed.", "changes"),
  "deprecation-used": note(
    "With `--usage`: clients still use what REST deprecates. The finding lists the operations that ran, and the apps with their versions.",
    "impact",
  ),
  "approval-expired": error("An approval has expired.", "approvals"),
  "approval-unused": note("An approval no longer matches a finding. Remove it.", "approvals"),
} as const satisfies Record<string, RuleFacts>;

export type RuleId = DiagnosticRule | keyof typeof changeRules | keyof typeof otherRules;

/** The path of the rule's documentation, in the installed package or in `docs/` of this repository. */
export const rulePage = (rule: RuleId): string =>
  `${import.meta.url.includes("/node_modules/") ? "node_modules/restbound/" : ""}docs/reference/rules.md#${rule}`;

/** The URL of the rule's documentation in the published package of this version. */
export const ruleUrl = (rule: RuleId, version: string): string =>
  `https://unpkg.com/restbound@${version}/docs/reference/rules.md#${rule}`;

export const meaningOf = (rule: RuleId): string =>
  ({ ...rules, ...changeRules, ...otherRules })[rule].meaning;
