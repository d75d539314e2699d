/** The daily workflow of `restbound update` over two versions of Figma's document, which npm fetches. */
import { expect, test } from "vitest";
import { scheduled } from "../build/update/scheduled.ts";
import { fetchDocument } from "../documents/fetch.ts";

const versionOf = (version: string): string =>
  fetchDocument({ package: `@figma/rest-api-spec@${version}`, file: "openapi/openapi.yaml" });

test("a vendor's version that breaks fields opens a draft with the errors and the saved operations by name", async () => {
  const operations = [
    "GET /v1/me",
    "GET /v1/teams/{team_id}/projects",
    "GET /v1/analytics/libraries/{file_key}/usages",
  ];
  const { night, served, git } = await scheduled({
    document: versionOf("0.20.0"),
    options: ["--operation", ...operations],
    saved: "query Me { me { handle } }\n",
  });
  served.document = versionOf("0.31.0");
  const { calls, body } = await night();
  expect(calls).toEqual([expect.stringMatching(/^pr\|create\|.*\|--draft\|$/)]);
  // 0.31.0 has six paths for the two that it removed, and a scope for each operation
  expect(body.match(/^### (?:breaking|error): .*/gm)).toEqual([
    "### breaking: `Query.libraryAnalyticsUsages` (`operation-unknown`)",
    "### breaking: `Query.teamProjects` (`rest-security-changed`)",
    "### breaking: `Query.me` (`rest-security-changed`)",
    "### error: `getLibraryAnalyticsComponentActions` (`operation-undecided`)",
    "### error: `getLibraryAnalyticsActions` (`ledger-unknown`)",
  ]);
  expect(body).toContain("GET /v1/me needs the scope current\\_user:read of OAuth2 too now");
  expect(body).toContain("- broken: Me (spec/operations/saved.graphql:1)");
  expect(git("show", "restbound-update:spec/openapi.yaml")).toBe(served.document.trim());
});
