/**
 * Every rule of `check`: its severity, its stage and its meaning. `docs/rules.md` is printed from them. What the spec files
 * say wrongly is a diagnostic (`src/engine/build/diagnostic.ts`), what they say otherwise than a base a change; the others are here.
 */
import { type Rule as DiagnosticRule, type RuleFacts, ruleOf, rules } from "../diagnostic.ts";
import { changeRules } from "./changes/change-rules.ts";

const error = ruleOf("error");
const note = ruleOf("note");

export const otherRules = {
  "operation-undecided": error(
    "A REST operation has no field and is not in `spec/rest-only.yaml`. More than five are one finding. A project without that file has none.",
    "ledger",
  ),
  "ledger-unknown": error(
    "`spec/rest-only.yaml` lists an operation that the document does not have, or a pattern that takes none.",
    "ledger",
  ),
  "ledger-bound": note(
    "`spec/rest-only.yaml` lists an operation that has a field, or a pattern whose operations all have one.",
    "ledger",
  ),
  "ledger-reason": error("An operation in `spec/rest-only.yaml` has no reason.", "ledger"),
  "generated-stale": error(
    "`generated/` is not as codegen writes it: the finding names each file that is missing, changed or surplus. Run `npm run codegen`.",
    "freshness",
  ),
  "saved-operation-changed": note(
    "With `--base`: a saved operation has another text. Clients built before send the old one, which `OPERATIONS=saved` refuses.",
    "changes",
  ),
  "saved-operation-removed": note(
    "With `--base`: a saved operation is gone, or has another name.",
    "changes",
  ),
  "deprecation-used": note(
    "With `--usage`: clients still ask for what REST deprecates. The finding names the operations that ran, and the apps with their versions.",
    "impact",
  ),
  "approval-expired": error("An approval's last day is over.", "approvals"),
  "approval-unused": note("An approval settles nothing any more. Remove it.", "approvals"),
} as const satisfies Record<string, RuleFacts>;

export type RuleId = DiagnosticRule | keyof typeof changeRules | keyof typeof otherRules;

/** Where this installation has the page of the rule: an installed package brings the page, and this repository has it at the top. */
export const rulePage = (rule: RuleId): string =>
  `${import.meta.url.includes("/node_modules/") ? "node_modules/restbound/" : ""}docs/rules.md#${rule}`;

/** The same page as an absolute URL, in the published package of this version. */
export const ruleUrl = (rule: RuleId, version: string): string =>
  `https://unpkg.com/restbound@${version}/docs/rules.md#${rule}`;

export const meaningOf = (rule: RuleId): string =>
  ({ ...rules, ...changeRules, ...otherRules })[rule].meaning;
