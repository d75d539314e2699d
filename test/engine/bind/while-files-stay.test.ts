import { expect, test } from "vitest";
import { whileFilesStay } from "../../../src/engine/bind/while-files-stay.ts";

test("a value is made anew when a file that it was made from changes, comes or goes, and only then", () => {
  const files = new Map([
    ["a", "1"],
    ["unread", "1"],
  ]);
  const read = (name: string): string | undefined => files.get(name);
  let made = 0;
  const of = whileFilesStay((from) => ({ number: ++made, text: from("a"), later: () => from("b") }));
  expect(of(read)).toMatchObject({ number: 1, text: "1" });
  files.set("unread", "2");
  expect(of(read).number).toBe(1);
  files.set("a", "2");
  expect(of(read)).toMatchObject({ number: 2, text: "2" });
  // a file that is read long after
  expect(of(read).later()).toBeUndefined();
  files.set("b", "1");
  expect(of(read).number).toBe(3);
});
