/** One row of a table of breaking edits, and the edits of OpenAPI documents that rows are made of. */
import { type Edit, type Path, YamlEdit } from "./yaml-edit.ts";

export type Make = (yaml: YamlEdit) => Edit;
/** An edit, and the coordinates where a finding counts as right. */
export type Row = readonly [name: string, make: Make, ...coordinates: string[]];

export const schema = (name: string, ...below: Path): Path => ["components", "schemas", name, ...below];
export const remove =
  (...path: Path): Make =>
  (yaml) =>
    yaml.remove(path);
export const rename =
  (name: string, ...path: Path): Make =>
  (yaml) =>
    yaml.rename(path, name);
/** Removes a name from `required`. A finding may stand at the line of the list or of the property. */
export const optional =
  (index: number, name: string, ...holder: Path): Make =>
  (yaml) => {
    const edit = yaml.remove([...holder, "required", index]);
    return {
      ...edit,
      lines: [...edit.lines, new YamlEdit(edit.text).lineOf([...holder, "properties", name])],
    };
  };
export const replace =
  (text: string, ...path: Path): Make =>
  (yaml) =>
    yaml.replace(path, text);
export const add =
  (text: string, ...path: Path): Make =>
  (yaml) => {
    const edit = yaml.add(path, text);
    // a finding may stand at the line of the list or map, or at the new line
    return { ...edit, lines: [...edit.lines, ...edit.lines.map((line) => line - 1), yaml.lineOf(path)] };
  };
