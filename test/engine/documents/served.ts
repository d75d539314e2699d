/**
 * Serves the proposals of a document through the `graphql` role in front of Prism, as a user starts both, and holds each
 * value of the answers against the value that Prism had sent. What a field shows is read from the directives of the SDL;
 * nothing of `src/` is used for that.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildASTSchema, type GraphQLSchema, parse } from "graphql";
import { type ReadFile, RestDocument } from "../../../src/engine/build/openapi/document.ts";
import { singleDocumentFile } from "../../../src/engine/build/openapi/document-files.ts";
import { listens, startProgram } from "../../support/child-process.ts";
import { patient } from "../../support/patient.ts";
import { projectOf } from "../../support/project.ts";
import { AnswerCheck } from "./answer-check.ts";
import { compareValues, directive } from "./compare-values.ts";
import { type Prism, type RestAnswer, startPrism } from "./prism.ts";
import type { Group } from "./proposals.ts";
import { type ArgumentSchemas, type Question, questionsOf } from "./questions.ts";

/** Why an operation is not shown as REST answers it. Reasons of one kind are told once. */
export type Reason = {
  readonly operation: string;
  readonly kind: string;
  readonly text: string;
  /** Values that are not right. */
  readonly values: number;
};

export type Served = {
  /** Operations whose answer is shown, and how many of them Prism had to generate: its example broke the document. */
  readonly served: number;
  readonly generated: number;
  /** Values in the answers, and those of them that are Prism's. */
  readonly values: number;
  readonly right: number;
  readonly reasons: readonly Reason[];
};

type Counts = { served: number; generated: number; values: number; right: number; reasons: Reason[] };

export async function serve(read: ReadFile, groups: readonly Group[]): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), "messaging-graphql-served-"));
  const { value } = new RestDocument([singleDocumentFile], read).root;
  const file = join(folder, "openapi.json");
  writeFileSync(file, JSON.stringify(value));
  const counts: Counts = { served: 0, generated: 0, values: 0, right: 0, reasons: [] };
  const prism = await startPrism(file);
  try {
    const check = new AnswerCheck(value as Readonly<Record<string, unknown>>);
    for (const { schema } of groups)
      await serveGroup(read, schema, { prism, check, headers: headersOf(value), counts });
  } finally {
    await prism.stop();
    rmSync(folder, { recursive: true });
  }
  return counts;
}

async function serveGroup(read: ReadFile, sdl: string, asked: Omit<Asked, "schema">): Promise<void> {
  const spec = mkdtempSync(join(tmpdir(), "messaging-graphql-spec-"));
  for (const name of ["openapi.yaml", "overlay.yaml"]) {
    const text = read(name);
    if (text !== undefined) writeFileSync(join(spec, name), text);
  }
  writeFileSync(join(spec, "schema.graphql"), sdl);
  const copy = projectOf(spec);
  rmSync(spec, { recursive: true });
  await copy.codegen();
  const limits = {
    MAX_BODY_BYTES: "10000000",
    MAX_DOCUMENT_LENGTH: "10000000",
    MAX_TOKENS: "1000000",
    MAX_FIELDS: "1000000",
    MAX_ALIASES: "100000",
    CALL_TIMEOUT_MS: "120000",
    REQUEST_TIMEOUT_MS: "120000",
  };
  const role = startProgram([copy.main, "graphql"], {
    ...patient,
    ...limits,
    REST_BASE_URL: asked.prism.url,
  });
  try {
    const url = new URL("/v1/graphql", await listens(role));
    const { argumentSchemas } = (await import(join(copy.root, "generated/arguments.ts"))) as {
      argumentSchemas: ArgumentSchemas;
    };
    const schema = buildASTSchema(parse(sdl), { assumeValidSDL: true });
    for (const question of questionsOf(schema, argumentSchemas))
      await ask(url, question, { schema, ...asked });
  } finally {
    await role.stop();
    copy.remove();
  }
}

type Asked = {
  schema: GraphQLSchema;
  prism: Prism;
  check: AnswerCheck;
  headers: Record<string, string>;
  counts: Counts;
};

/** Prism answers with the document's examples first, then with the success that it was not asked for, then with made-up values. */
async function ask(url: URL, question: Question, asked: Asked): Promise<void> {
  const { check, counts, prism } = asked;
  const operation = String(directive(question.field.astNode, "rest")?.operation);
  const success = check.success(operation);
  const code = success === undefined ? [] : [`code=${success}`];
  let last: Shown | undefined;
  for (const preferences of [[], code, [...code, "dynamic=true"]]) {
    prism.prefer(preferences);
    last = await show(url, question, operation, asked);
    if (last.reason === undefined) {
      counts.served++;
      counts.values += last.values;
      counts.right += last.values;
      if (preferences.length > code.length) counts.generated++;
      return;
    }
    if (last.isOurs) break;
  }
  if (!last?.reason) return;
  counts.reasons.push({ operation: question.field.name, ...last.reason });
  if (!last.isOurs) return;
  counts.served++;
  counts.values += last.values;
  counts.right += last.values - last.reason.values;
}

type Shown = {
  readonly values: number;
  readonly reason?: Omit<Reason, "operation">;
  /** Values differ from an answer that the document allows. */
  readonly isOurs?: true;
};

async function show(url: URL, question: Question, operation: string, asked: Asked): Promise<Shown> {
  const { schema, prism, check, headers } = asked;
  prism.taken();
  const reply = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ query: question.document, variables: question.variables }),
  });
  const answer = (await reply.json()) as Answer;
  const { name } = question.field;
  const errors = [...new Set((answer.errors ?? []).map(({ message }) => message))].join("; ");
  const because = (kind: string, text: string): Shown => ({ values: 0, reason: { kind, text, values: 0 } });
  const calls = new Calls(prism.taken(), check);
  const sent = calls.of(operation);
  if (!sent) return because(`no call: ${errors}`, JSON.stringify(question.variables));
  if (!isSuccess(sent)) return because(...refusalOf(sent, check.success(operation)));
  const shown = answer.data?.[name];
  const compared = compareValues({ schema, calls }, question.field, { shown }, question.depth);
  const wrong = compared.filter(({ isRight }) => !isRight);
  // a breach explains the values of its own operation, and no others
  const ours = wrong.filter((value) => calls.breach(value.operation) === undefined);
  const [first] = ours.length > 0 ? ours : wrong;
  if (!first) return { values: compared.length };
  const text = `${first.path} is ${JSON.stringify(first.shown)} and not ${JSON.stringify(first.rest)}; ${errors}`;
  if (ours.length === 0) {
    const breach = calls.breach(first.operation);
    return because("Prism's own answer breaks the document, by Ajv", `${breach}; ${text}`);
  }
  const reason = { kind: "the values differ", text, values: wrong.length };
  return { values: compared.length, reason, isOurs: true };
}

/** What REST answered to one request. */
class Calls {
  readonly #answers: readonly RestAnswer[];
  readonly #check: AnswerCheck;

  constructor(answers: readonly RestAnswer[], check: AnswerCheck) {
    this.#answers = answers;
    this.#check = check;
  }

  /**
   * The answer to an operation: the last to its request, because a read that fails is sent again. If a list calls the
   * operation for each of its objects, all of these have the same answer.
   */
  of(operation: string): RestAnswer | undefined {
    const calls = this.#answers.filter(({ request }) => this.#check.isCall(operation, request));
    const answers = [...new Map(calls.map((answer) => [answer.request, answer])).values()];
    if (new Set(answers.map(({ text }) => text)).size > 1)
      throw new Error(`${operation}: the answers to several requests differ`);
    return answers[0];
  }

  /** The body of a success; `undefined` without one. */
  body(operation: string): unknown {
    const answer = this.of(operation);
    return answer && isSuccess(answer) ? bodyOf(answer) : undefined;
  }

  /** What the document does not allow in the answer. */
  breach(operation: string): string | undefined {
    const answer = this.of(operation);
    return answer && this.#check.breach(operation, answer.status, bodyOf(answer));
  }
}

const isSuccess = ({ status }: RestAnswer): boolean => status >= 200 && status <= 299;

/** The kind of an answer without success, and its words. */
function refusalOf({ status, request, text }: RestAnswer, success?: string): [kind: string, text: string] {
  if (success === undefined) return ["the document has no success of the operation", `${request}: ${status}`];
  if (!text.includes("stoplight.io/prism/errors#"))
    return [`Prism answers with the document's ${status}`, request];
  const { detail, validation } = JSON.parse(text) as { detail: string; validation?: Violation[] };
  const [first] = validation ?? [];
  return first
    ? [`Prism finds the request wrong: ${first.location[0]} ${first.code}`, `${request}: ${first.message}`]
    : [`Prism answers with ${status}: ${detail}`, request];
}

type Violation = { readonly location: readonly string[]; readonly code: string; readonly message: string };

type Answer = { data?: Readonly<Record<string, unknown>> | null; errors?: readonly { message: string }[] };

function bodyOf({ text, type }: RestAnswer): unknown {
  if (text === "") return null;
  return /json/.test(type) ? JSON.parse(text) : text;
}

/** A value for each header that carries a credential of the document. */
function headersOf(document: unknown): Record<string, string> {
  const { components } = document as {
    components?: { securitySchemes?: Record<string, Record<string, string>> };
  };
  const schemes = Object.values(components?.securitySchemes ?? {});
  return Object.fromEntries(
    schemes.flatMap(({ type, in: location, name = "", scheme }) =>
      type === "apiKey"
        ? location === "header"
          ? [[name.toLowerCase(), "token"]]
          : []
        : [["authorization", `${scheme === "basic" ? "Basic" : "Bearer"} dG9rZW46dG9rZW4=`]],
    ),
  );
}
