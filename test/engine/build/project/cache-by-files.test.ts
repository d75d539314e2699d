import { expect, test } from "vitest";
import { cacheByFiles } from "../../../../src/engine/build/project/cache-by-files.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";

test("a value is made anew when a file or a folder that it was made from changes, comes or goes, and only then", () => {
  const texts = new Map([
    ["a", "1"],
    ["unread", "1"],
  ]);
  const files = textFiles(texts);
  let made = 0;
  const of = cacheByFiles(({ read, list }) => ({
    number: ++made,
    text: read("a"),
    names: list("folder"),
    later: () => read("b"),
  }));
  expect(of(files)).toMatchObject({ number: 1, text: "1", names: [] });
  texts.set("unread", "2");
  expect(of(files).number).toBe(1);
  texts.set("a", "2");
  expect(of(files)).toMatchObject({ number: 2, text: "2" });
  // a file that is read long after
  expect(of(files).later()).toBeUndefined();
  texts.set("b", "1");
  expect(of(files).number).toBe(3);
  texts.set("folder/c", "1");
  expect(of(files)).toMatchObject({ number: 4, names: ["folder/c"] });
  expect(of(files).number).toBe(4);
});
