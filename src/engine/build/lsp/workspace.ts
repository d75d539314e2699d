/** A project in the editor. Runs `check` on the project's files, with the editor's texts of open files. */
import { join } from "node:path";
import type { Model } from "../bind/model.ts";
import { examine } from "../check/check.ts";
import { diagnosticFinding } from "../check/proof-findings.ts";
import type { Finding } from "../check/report.ts";
import { UnreadableSpec } from "../diagnostic.ts";
import { parseWithDuplicates, type YamlFile } from "../openapi/yaml-file.ts";
import { cacheByFiles } from "../project/cache-by-files.ts";
import { Project, readRestApi } from "../project/project.ts";
import { folderFiles, type SpecFiles, withTexts } from "../project/spec-files.ts";
import { applyEdit, type Fix, fixCandidates } from "./quick-fixes.ts";

/** `model`: undefined if the schema is invalid or a document cannot be read. */
type Analysis = {
  readonly files: SpecFiles;
  readonly findings: readonly Finding[];
  readonly model: Model | undefined;
  readonly fixes: Map<Finding, readonly Fix[]>;
};

/** Maximum CPU time for testing quick fixes, in ms. A limit on elapsed time would depend on the load of the machine. */
const longestTrial = 1_000;

export class Workspace {
  readonly root: string;
  readonly #openTexts: () => ReadonlyMap<string, string>;
  readonly #today: () => string;
  readonly #parsed = new Map<string, { readonly text: string; readonly file: YamlFile }>();
  readonly #restOf = cacheByFiles((files) => readRestApi(files, (name, text) => this.#parse(name, text)));
  #analysis: Analysis | undefined;
  #lastModel: Model | undefined;

  /** `openTexts` returns the texts of open files by name in `spec/`. */
  constructor(root: string, openTexts: () => ReadonlyMap<string, string>, today: () => string) {
    this.root = root;
    this.#openTexts = openTexts;
    this.#today = today;
  }

  /** Must be called after each change of a file. */
  invalidate(): void {
    this.#analysis = undefined;
  }

  analyse(): Analysis {
    this.#analysis ??= this.#compute();
    return this.#analysis;
  }

  /** Returns the model of the last valid schema. */
  get lastModel(): Model | undefined {
    return this.#lastModel ?? this.analyse().model;
  }

  /** Returns quick fixes for a finding. Tries each fix by running `check`, and omits those that do not help. */
  fixesOf(finding: Finding): readonly Fix[] {
    const { fixes, files, findings, model } = this.analyse();
    const known = fixes.get(finding);
    if (known) return known;
    const before = process.cpuUsage();
    const mayTry = (): boolean => {
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000 < longestTrial;
    };
    const found = fixCandidates(finding, model, files).filter(
      (fix) => !fix.isProvable || (mayTry() && this.#isAccepted(finding, findings, fix, files)),
    );
    fixes.set(finding, found);
    return found;
  }

  #isAccepted(finding: Finding, before: readonly Finding[], fix: Fix, files: SpecFiles): boolean {
    const { file } = fix;
    const text = applyEdit(files.read(file) ?? "", fix);
    const { findings: after } = this.#examine(withTexts(files, new Map([[file, text]])));
    const isSame = (each: Finding) =>
      each.rule === finding.rule &&
      each.coordinate === finding.coordinate &&
      each.message === finding.message;
    // an unreadable file (stage `load`) hides other findings, so their number may grow after a fix makes the file readable
    return !after.some(isSame) && (finding.stage === "load" || after.length < before.length);
  }

  #compute(): Analysis {
    const files = withTexts(folderFiles(join(this.root, "spec")), this.#openTexts());
    const analysis = { files, ...this.#examine(files), fixes: new Map() };
    this.#lastModel = analysis.model ?? this.#lastModel;
    return analysis;
  }

  #examine(files: SpecFiles): Pick<Analysis, "findings" | "model"> {
    const project = new Project(files, { restOf: this.#restOf });
    try {
      return { findings: examine(project, undefined, this.#today()).findings, model: project.model };
    } catch (error) {
      if (!(error instanceof UnreadableSpec)) throw error;
      return {
        findings: error.diagnostics.map((each) => diagnosticFinding(project, each)),
        model: undefined,
      };
    }
  }

  /** Caches parsed files, because parsing takes most of the time. */
  #parse(name: string, text: string): YamlFile {
    const last = this.#parsed.get(name);
    if (last?.text === text) return last.file;
    const file = parseWithDuplicates(name, text);
    this.#parsed.set(name, { text, file });
    return file;
  }
}
