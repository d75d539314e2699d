/** URLs in logs, errors and reports hold no secret. */
import { expect, test } from "vitest";
import { shownUrl, withShownUrls } from "../../../src/engine/shared/shown-url.ts";

test.each([
  ["https://user:SECRET@h.example:8443/a/b.json?token=SECRET#SECRET", "https://h.example:8443/a/b.json"],
  ["https://SECRET@h.example/a", "https://h.example/a"],
  ["redis://:SECRET@h.example:6379/0?password=SECRET", "redis://h.example:6379/0"],
  ["HTTPS://u:SECRET|'{@h.example/?SECRET", "https://h.example/"],
  ["https://user:SEC/RET@h.example/a", "https://…"],
  ["http://127.0.0.1:4000", "http://127.0.0.1:4000"],
  ["http://h.example?token=SECRET", "http://h.example"],
  ["apps/web.json", "apps/web.json"],
  ["C:\\apps\\web.json", "C:\\apps\\web.json"],
])("%s", (given, shown) => {
  expect(shownUrl(given)).toBe(shown);
  expect(withShownUrls(`"${given}": fetch failed`)).toBe(`"${shown}": fetch failed`);
});

test("in a sentence, what is around a URL stays", () => {
  expect(withShownUrls("of (https://u:SECRET@h.example/a?b=SECRET), or http://h.example/b.")).toBe(
    "of (https://h.example/a), or http://h.example/b.",
  );
});
