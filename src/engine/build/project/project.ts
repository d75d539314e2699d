/**
 * A project contains the files of a spec folder (on disk, at a git ref, or in memory before they are written) and the results of
 * reading them. Every command creates a project. Each result is computed once, on first use.
 */
import { join } from "node:path";
import type { GraphQLSchema } from "graphql";
import { linesOf } from "../../shared/cli/code-frame.ts";
import type { Manifest } from "../../shared/manifests/manifests.ts";
import { bind } from "../bind/bind.ts";
import { type BindResult, boundFields, type FormerObjects, type Model, type RestApi } from "../bind/model.ts";
import { type Diagnostic, isApprovable, UnreadableSpec, unreadableSpec } from "../diagnostic.ts";
import { readCredentialsFile } from "../openapi/credentials-file.ts";
import { type ParseFile, RestDocument } from "../openapi/document.ts";
import { documentFaults, reachableFaults } from "../openapi/document-faults.ts";
import { documentFiles, documentsFolder } from "../openapi/document-files.ts";
import { readOperations } from "../openapi/read-operations.ts";
import { lazy } from "../openapi/shapes/lazy.ts";
import { parseYamlFile, type YamlFile } from "../openapi/yaml-file.ts";
import { readRest } from "../schema/directives.ts";
import { allFields } from "../schema/object-types.ts";
import { readSchema } from "../schema/read-schema.ts";
import { readAppOperations, readSavedOperations, type SavedOperation } from "../schema/saved-operations.ts";
import { type ApprovalEntry, approvalKey, approvalsFile, readApprovals } from "./approvals.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { folderFiles, readOnce, type SpecFiles, savedOperationTexts } from "./spec-files.ts";

type Given = {
  readonly manifests?: readonly Manifest[];
  /** Reads the REST API. If several projects share documents, pass `cacheByFiles(readRestApi)`. */
  readonly restOf?: (files: SpecFiles) => RestApi;
  /** The git ref or URL that the user gave. Present only for the base of a comparison. */
  readonly name?: string;
  readonly formerObjects?: FormerObjects;
};

export type ValidProject = Project & { readonly model: Model };

export const isValid = (project: Project): project is ValidProject => project.model !== undefined;

/** Getters and methods throw `UnreadableSpec` if a file cannot be read. */
export class Project {
  readonly files: SpecFiles;
  readonly name: string | undefined;
  /** Returns the lines of a file, cached because several findings may show them; `undefined` if the file cannot be read. */
  readonly linesOf: (file: string) => readonly string[] | undefined;
  readonly #rest: () => RestApi;
  readonly #bound: () => BindResult;
  readonly #approvals: () => readonly ApprovalEntry[];
  readonly #operations: () => ReturnType<typeof readAppOperations>;
  readonly #diagnostics: () => readonly Diagnostic[];

  constructor(files: SpecFiles, { manifests = [], restOf = readRestApi, name, formerObjects }: Given = {}) {
    this.files = files;
    this.name = name;
    this.linesOf = readOnce((file) => readLines(files, file));
    this.#rest = lazy(() => restOf(files));
    this.#bound = lazy(() => {
      const [rest, schema] = readBoth(
        () => this.rest,
        () => readSchema("schema.graphql", files.read("schema.graphql") ?? missing("schema.graphql")),
      );
      return withinStack(rest.document, () => bind(rest, schema, formerObjects));
    });
    this.#approvals = lazy(() => readApprovals(this.yaml(approvalsFile)));
    this.#operations = lazy(() => {
      const saved = readSavedOperations(this.model?.schema, savedOperationTexts(files));
      const apps = readAppOperations(this.model?.schema, manifests);
      return {
        operations: [...saved.operations, ...apps.operations],
        diagnostics: [...saved.diagnostics, ...apps.diagnostics],
      };
    });
    this.#diagnostics = lazy(() => [...this.#mapping(documentFaults), ...this.#operations().diagnostics]);
  }

  /** The OpenAPI documents and the operations of all documents together. Does not depend on the GraphQL schema. */
  get rest(): RestApi {
    return this.#rest();
  }

  /** The schema bound to the REST API; `undefined` if the schema is invalid. */
  get model(): Model | undefined {
    return this.#bound().model;
  }

  /** The saved operations, including those of apps. */
  get saved(): readonly SavedOperation[] {
    return this.#operations().operations;
  }

  get approvals(): readonly ApprovalEntry[] {
    return this.#approvals();
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics();
  }

  /** Throws `UnreadableSpec` with all errors, if there are any. Ignores parts of the OpenAPI document that no field uses. */
  proved(): ValidProject {
    return this.#without([...this.#mapping(reachableFaults), ...this.#operations().diagnostics]);
  }

  /** Like `proved`, but allows errors in saved operations. */
  bound(): ValidProject {
    return this.#without(this.#mapping(reachableFaults));
  }

  #without(diagnostics: readonly Diagnostic[]): ValidProject {
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    if (!isValid(this) || errors.length > 0) throw new UnreadableSpec(errors);
    return this;
  }

  /** Reads a YAML file in the spec folder, such as `rest-only.yaml`; returns `undefined` if it does not exist. */
  yaml(name: string): YamlFile | undefined {
    const text = this.files.read(name);
    return text === undefined ? undefined : parseYamlFile(name, text);
  }

  #mapping(faultsOf: typeof documentFaults): Diagnostic[] {
    const { model, diagnostics } = this.#bound();
    const ofDocument = model ? withinStack(model.document, () => faultsIn(model, faultsOf)) : [];
    return [...ofDocument, ...diagnostics].map((each) => this.#judged(each));
  }

  /**
   * Turns an approved error into a warning. Ignores the expiry date, because codegen's output must not depend on it. Only `check`
   * considers the date.
   */
  #judged(diagnostic: Diagnostic): Diagnostic {
    const { rule, severity, coordinate } = diagnostic;
    if (severity === "warning" || !isApprovable(rule)) return diagnostic;
    const own = approvalKey({ fingerprint: fingerprintOf(diagnostic), rule, coordinate });
    return this.approvals.some((entry) => approvalKey(entry) === own)
      ? { ...diagnostic, severity: "warning" }
      : diagnostic;
  }
}

export const projectAt = (root: string, given?: Given): Project =>
  new Project(folderFiles(join(root, "spec")), given);

export function readRestApi({ read, list }: SpecFiles, parse?: ParseFile): RestApi {
  const document = new RestDocument(documentFiles(list(documentsFolder), read), read, parse);
  return withinStack(document, () => ({
    document,
    operations: readOperations(document),
    credentials: readCredentialsFile(document),
  }));
}

function faultsIn(model: Model, faultsOf: typeof documentFaults): Diagnostic[] {
  const { document, operations } = model;
  const called = boundFields(model).map(({ operation }) => operation);
  const misnamed = boundNames(model.schema).flatMap((name) => operations.sharing(name));
  return [...faultsOf(document, called, misnamed), ...document.overlayFindings];
}

/** Returns the operation names in all `@rest` directives, including names of operations that do not exist. */
const boundNames = (schema: GraphQLSchema): string[] =>
  allFields(schema).flatMap(({ field }) => readRest(schema, field)?.operation ?? []);

/** Converts a stack overflow to `UnreadableSpec`, because its cause is a schema with infinite or very deep nesting. */
function withinStack<T>({ roots, root }: RestDocument, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError)
      throw unreadableSpec(roots.length > 1 ? documentsFolder : root.file, "is nested too deeply");
    throw error;
  }
}

const missing = (name: string): never => {
  throw unreadableSpec(name, "the file does not exist");
};

/** Returns both results, or throws one `UnreadableSpec` with the findings of both. */
function readBoth<A, B>(first: () => A, second: () => B): [A, B] {
  const failures: UnreadableSpec[] = [];
  const attempt = <T>(make: () => T): T | undefined => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof UnreadableSpec)) throw error;
      failures.push(error);
      return undefined;
    }
  };
  const results = [attempt(first), attempt(second)];
  if (failures.length > 0) throw new UnreadableSpec(failures.flatMap(({ diagnostics }) => diagnostics));
  return results as [A, B];
}

function readLines({ read }: SpecFiles, file: string): readonly string[] | undefined {
  try {
    const text = read(file);
    return text ? linesOf(text) : undefined;
  } catch (error) {
    if (!(error instanceof UnreadableSpec)) throw error;
    return undefined;
  }
}
