/** Text of a spec in what people and CI read: it steers no terminal, gives GitHub no command and is no markup. */
import { expect, test } from "vitest";
import { run as codegen } from "../../../../src/engine/build/codegen/codegen-command.ts";
import { run as explain } from "../../../../src/engine/build/explain/explain-command.ts";
import { run as propose } from "../../../../src/engine/build/propose/propose-command.ts";
import { project, ran } from "./run.ts";

const evil = [
  "a\n::error title=x::pwned",
  "b\r\n::add-mask::x",
  "c%0A::warning::x",
  "\u001b]0;title\u0007\u001b[2J\u009b31m",
  "\u202egnp.exe\u2028",
  "<img src=x onerror=alert(1)>|`",
  "](https://evil.example) @everyone www.evil.example",
].join(" ");
const operationId = JSON.stringify(`find ${evil}`);

const query = `type Query {
  find(q: String @restName(name: ${JSON.stringify(`q ${evil}`)})): Thing @rest(operation: ${operationId})
}`;
const files = {
  "spec/openapi.yaml": JSON.stringify({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    paths: Object.fromEntries(
      [`find ${evil}`, `other ${evil}`].map((id, index) => [
        `/x${index} ${evil}`,
        {
          get: {
            operationId: id,
            summary: evil,
            parameters: [
              { name: `q ${evil}`, in: "query", schema: { type: "string", enum: [evil] }, description: evil },
            ],
            responses: {
              "200": {
                description: "ok",
                content: {
                  "application/json": {
                    schema: {
                      type: "object",
                      properties: {
                        name: { type: "string" },
                        choice: {
                          oneOf: [`one ${evil}`, "two"].map((title) => ({
                            type: "object",
                            title,
                            properties: { a: { type: "string" }, [title]: { type: "string" } },
                          })),
                        },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      ]),
    ),
  }),
  "spec/schema.graphql": `${query}
type Thing {
  name: String
  wrong: Int @restName(name: ${JSON.stringify(`name ${evil}`)})
}`,
  "spec/operations/depot.graphql": "query Find { find { name } }",
  "spec/rest-only.yaml": "",
};
const sound = {
  ...files,
  "spec/schema.graphql": `${query}
type Thing {
  name: String
}`,
};

// what steers a terminal or an editor; colours are not asked for here
const steering = /(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

test.each(["text", "github", "markdown", "json"])("check --format %s", async (format) => {
  const { out, code } = await ran(project(files), ["--format", format]);
  expect(code).toBe(1);
  expect(out).toMatch(/pwned/);
  expect(out).not.toMatch(steering);
  const commands = out.split("\n").filter((line) => /^\s*::/.test(line));
  if (format !== "github") return expect(commands).toEqual([]);
  for (const line of commands)
    expect(line).toMatch(/^::(error|warning|notice) (file=[^:,]+,line=\d+,col=\d+,)?title=[^:,]*::[^\n]*$/);
});

test("Markdown holds no markup, no link and no mention of it", async () => {
  const { out } = await ran(project(files), ["--format", "markdown"]);
  const outside = out.replace(/(`{3,})[\s\S]*?\n\1/g, "").replace(/`[^`\n]*`/g, "");
  expect(outside).toMatch(/evil/);
  expect(outside).not.toMatch(/(?<!\\)<|(?<!\\)\]\(|@[a-z]|:\/\/|www\./);
});

test.each([
  ["codegen", codegen, []],
  ["explain", explain, ["Query.find"]],
  ["explain of what is not there", explain, ["Query.fin"]],
  ["propose", propose, [`other ${evil}`]],
  ["propose of what is not there", propose, [`othe ${evil}`]],
] as const)("%s", async (name, command, argv) => {
  const { out, error } = await ran(project(name === "codegen" ? files : sound), argv, command);
  expect(out + error).toMatch(/pwned|Query\.fin/);
  expect(out + error).not.toMatch(steering);
  expect(`${out}\n${error}`.split("\n").filter((line) => /^\s*::/.test(line))).toEqual([]);
});
