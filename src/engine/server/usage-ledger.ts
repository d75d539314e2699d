/**
 * Records which operations and fields clients use, for `check --usage`: saved operations by name, and other operations by their
 * schema coordinates, with the app and its version. Each operation or field is recorded at most once a day per app and version.
 * Unlike the metrics, the ledger includes every operation and survives restarts. Every minute, and when the process stops, lines
 * are appended to the file of the day (`usage-lines.ts`). Lines that could not be written stay in memory and are written later.
 */
import { appendFile, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import type { DocumentNode, GraphQLSchema } from "graphql";
import { type Observer, subscribe } from "../runtime/observe/observer.ts";
import { causeCode, qualifiedName, type RequestRecord } from "../runtime/observe/request-record.ts";
import { selectedCoordinates } from "../shared/selected-coordinates.ts";
import { dayOfUsageFile, type UsageLine, usageDay, usageFile } from "../shared/usage-lines.ts";

const flushMs = 60_000;
const dayMs = 86_400_000;
/** The number of days after which a file is deleted: a quarter of a year. */
const keptDays = 92;
/** Maximum number of lines per day with app and version. Further lines omit both: at most one per operation or field. */
const maxDetailedLines = 100_000;
/** Maximum number of lines that are kept in memory while the file cannot be written. */
const maxUnwritten = 200_000;
/** Maximum number of versions per app and day, because clients choose the versions. */
const maxVersions = 20;
/**
 * Maximum number of documents that are analyzed per minute, saved operations not included. Only clients that inline values
 * instead of using variables exceed it. The ledger of the day is then marked incomplete.
 */
const maxDocuments = 500;

type Client = Pick<UsageLine, "app" | "version">;
type Used = { readonly day: string; readonly document: DocumentNode; readonly client: Client };

export class UsageLedger implements Observer {
  /** Whether the last write failed. */
  isFailing = false;
  readonly #folder: string;
  readonly #host: string;
  readonly #schema: GraphQLSchema;
  readonly #log: FastifyBaseLogger;
  readonly #end: () => void;
  readonly #timer: NodeJS.Timeout;
  #day = "";
  /** The keys of the lines already recorded for the current day, so that none is recorded twice. */
  readonly #lines = new Set<string>();
  readonly #versions = new Map<string, Set<string>>();
  #documents = new WeakMap<DocumentNode, Set<string>>();
  #used: Used[] = [];
  #unwritten: UsageLine[] = [];
  #flushed = Promise.resolve();

  /** `host` becomes part of the file name, because processes on several hosts may share the folder. */
  constructor(folder: string, host: string, schema: GraphQLSchema, log: FastifyBaseLogger) {
    this.#folder = folder;
    this.#host = host;
    this.#schema = schema;
    this.#log = log;
    this.#end = subscribe(this);
    this.#timer = setInterval(() => void this.flush(), flushMs).unref();
    void this.flush();
  }

  requestEnded(request: RequestRecord): void {
    const { serverInfo, operation, document, furtherDocuments = [] } = request;
    if (serverInfo.role !== "graphql" || !document) return; // no operation was executed
    this.#beginDay();
    const client = this.#clientOf(request);
    if (operation && furtherDocuments.length === 0)
      return this.#add({ operation: qualifiedName(operation), ...client });
    for (const each of [document, ...furtherDocuments]) this.#use(each, client);
  }

  /** Appends the lines since the last flush. Never rejects. */
  flush(): Promise<void> {
    this.#flushed = this.#flushed.then(() => this.#flush());
    return this.#flushed;
  }

  async close(): Promise<void> {
    this.#end();
    clearInterval(this.#timer);
    await this.flush();
  }

  #beginDay(): void {
    const day = usageDay(new Date());
    if (day === this.#day) return;
    this.#day = day;
    this.#lines.clear();
    this.#versions.clear();
    this.#documents = new WeakMap();
    this.#unwritten.push({ day });
  }

  #clientOf({ app: named, operation, client }: RequestRecord): Client {
    const app = named ?? operation?.app;
    if (app === undefined) return {};
    const { version } = client ?? {};
    if (named === undefined || !version) return { app };
    const versions = this.#versions.get(app) ?? new Set();
    this.#versions.set(app, versions);
    if (versions.size < maxVersions) versions.add(version);
    return versions.has(version) ? { app, version } : { app };
  }

  #add({ app = "", version = "", ...used }: Omit<UsageLine, "day">, day = this.#day): void {
    const key = JSON.stringify(used);
    const detailed = app === "" ? key : `${key} ${version} ${app}`;
    if (this.#lines.has(detailed)) return;
    const isDetailed = this.#lines.size < maxDetailedLines;
    if (!isDetailed && this.#lines.has(key)) return;
    this.#lines.add(isDetailed ? detailed : key);
    const client = isDetailed ? { ...(app && { app }), ...(version && { version }) } : {};
    this.#unwritten.push({ day, ...used, ...client });
  }

  #use(document: DocumentNode, client: Client): void {
    const key = `${client.version ?? ""} ${client.app ?? ""}`;
    const clients = this.#documents.get(document) ?? new Set();
    this.#documents.set(document, clients);
    if (clients.has(key)) return;
    clients.add(key);
    if (this.#used.length < maxDocuments) this.#used.push({ day: this.#day, document, client });
    else this.#add({ isIncomplete: true });
  }

  async #flush(): Promise<void> {
    const isNewDay = this.#day !== usageDay(new Date());
    this.#beginDay();
    const used = this.#used;
    this.#used = [];
    for (const { day, document, client } of used) {
      for (const field of selectedCoordinates(this.#schema, document))
        if (!/^__|\.__/.test(field)) this.#add({ field, ...client }, day);
      await nextTurn();
    }
    const lines = this.#unwritten;
    if (lines.length === 0) return;
    this.#unwritten = [];
    try {
      await mkdir(this.#folder, { recursive: true });
      for (const [day, ofDay] of Map.groupBy(lines, (line) => line.day)) await this.#append(day, ofDay);
      if (isNewDay) await this.#deleteOld();
      if (this.isFailing) this.#log.warn("USAGE_DIR: usage is recorded again");
      this.isFailing = false;
    } catch (error) {
      const all = [...lines, ...this.#unwritten];
      const days = new Set(all.map(({ day }) => day));
      this.#unwritten =
        all.length <= maxUnwritten ? all : [...days].map((day) => ({ day, isIncomplete: true as const }));
      if (!this.isFailing)
        this.#log.warn(
          { cause: causeCode(error) },
          "USAGE_DIR: cannot be written; usage is kept in memory until it can",
        );
      this.isFailing = true;
    }
  }

  async #append(day: string, lines: readonly UsageLine[]): Promise<void> {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    // the line break before the text ends an incomplete line that a failed write may have left
    await appendFile(join(this.#folder, usageFile(day, this.#host)), `\n${text}`);
  }

  async #deleteOld(): Promise<void> {
    const oldest = usageDay(new Date(Date.now() - keptDays * dayMs));
    for (const name of await readdir(this.#folder)) {
      const day = dayOfUsageFile(name);
      if (day !== undefined && day < oldest) await rm(join(this.#folder, name), { force: true });
    }
  }
}
