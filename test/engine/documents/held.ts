/** Holds `npm run check` over two versions of a document against the oracle: which bound fields the step breaks or endangers. */
import { examine } from "../../../src/engine/build/check/check.ts";
import type { Finding, Report } from "../../../src/engine/build/check/report.ts";
import { isValid, Project } from "../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../src/engine/build/project/spec-files.ts";
import { isOfBreak } from "../build/check/mutations/mutation.ts";
import { Oracle } from "./oracle/oracle.ts";
import { readJson } from "./oracle/ways.ts";

export type Held = {
  readonly report: Report;
  /** The findings about breaks. */
  readonly told: readonly Finding[];
  /** The fields of the schema. */
  readonly fields: number;
  readonly right: number;
  /** Fields that the oracle alone names, and the messages of those that `check` alone names. */
  readonly missed: readonly string[];
  readonly wrong: ReadonlyMap<string, string>;
};

export function snapshotOf(schema: string, text: string): Project {
  const files = new Map([
    ["openapi.yaml", text],
    ["schema.graphql", schema],
  ]);
  return new Project(textFiles(files));
}

/** `base`: the snapshot of `old`. */
export function held(schema: string, base: Project, old: string, now: string, name: string): Held {
  if (!isValid(base)) throw new Error(`${name}: no model`);
  const report = examine(snapshotOf(schema, now), base, "2026-01-01");
  const { sdl, changed, either } = new Oracle(schema, readJson(old), readJson(now));
  // an input object may stand in several calls, of which REST refuses it in some
  const found = new Set(
    [...coordinatesOf(report)].flatMap((each) => {
      const fields = sdl.fieldsOf(each);
      const refusing = fields.filter((field) => changed.has(field));
      return refusing.length > 0 ? refusing : fields;
    }),
  );
  for (const each of either) if (!changed.has(each)) found.delete(each);
  const wrong = [...found].filter((each) => !changed.has(each));
  return {
    report,
    told: report.findings.filter(isOfBreak),
    fields: sdl.coordinates.length,
    right: found.size - wrong.length,
    missed: [...changed].filter((each) => !found.has(each)),
    wrong: new Map(wrong.map((each) => [each, messageOf(report, each)])),
  };
}

const messageOf = ({ findings }: Report, field: string): string =>
  findings.find(({ coordinates = [], coordinate }) =>
    [...coordinates, coordinate].some((one) => fieldOf(one) === field),
  )?.message ?? "";

const fieldOf = (coordinate: string): string => coordinate.replace(/\(.*/, "");

/** The fields of every finding about a change, and of every error of the mapping. */
function coordinatesOf({ findings }: Report): Set<string> {
  const all = findings
    .filter(isOfBreak)
    .flatMap(({ coordinate, coordinates = [] }) => [coordinate, ...coordinates]);
  return new Set(all.map(fieldOf));
}
