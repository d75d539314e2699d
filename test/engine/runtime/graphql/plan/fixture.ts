/**
 * The fixture of the plan's tests: a small schema with each kind of generated resolver, on the role's Apollo Server. A
 * function stands in for REST. The fixture records every call.
 */
import { onTestFinished } from "vitest";
import { CodedError } from "../../../../../src/engine/runtime/coded-error.ts";
import { Apollo } from "../../../../../src/engine/runtime/graphql/apollo.ts";
import { executableSchema } from "../../../../../src/engine/runtime/graphql/executable-schema.ts";
import type { ExecutionCounts } from "../../../../../src/engine/runtime/graphql/execute-by-plan.ts";
import { LogLines } from "../../../../../src/engine/runtime/observe/log-lines.ts";
import { batchEach, batchMany, batchOne } from "../../../../../src/engine/runtime/rest/batch.ts";
import { level } from "../../../../../src/engine/runtime/rest/level.ts";
import { itself, property } from "../../../../../src/engine/runtime/rest/property.ts";
import { resolveTypeByValue } from "../../../../../src/engine/runtime/rest/resolve-type.ts";
import { readConfig } from "../../../../../src/engine/runtime/settings/config.ts";
import { freeScope } from "../free-scope.ts";

const typeDefs = `
directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION
enum Mood { GLAD SAD }
scalar Any
input Filter {
  text: String = "all"
  mood: Mood
}
interface Named {
  name: String!
  like: Named
}
union Owner = Person | Team
type Person implements Named {
  id: ID!
  name: String!
  like: Named
  mood: Mood
  boss: Person
  bossOrNot: Person!
  pets: [Pet!]
  home: Home
}
type Team implements Named {
  id: ID!
  name: String!
  like: Named
  size: Int
  members: [Person]
  allMembers: [Person]
  home: Home
}
type Pet implements Named {
  id: ID!
  name: String!
  like: Named
  owner: Owner!
  keeper: Person
  page: Page
  grid: [[Int!]]
  extra: Any
  sure: [[Int]] @semanticNonNull(levels: [0, 2])
  "Not batched: a call for each pet."
  vet: Person
  toys: [Toy] @semanticNonNull(levels: [1])
}
type Toy {
  label: String!
  maker: Person
}
type Home {
  city: String
  room: Home
  keeper: Person!
}
type Page {
  next: String
  broken: Person
}
type Query {
  pets(first: Int = 2, filter: Filter, mood: Mood): [Pet!]
  pet(id: ID!, extra: Any): Pet
  person: Person
  named: [Named]
  sure: Person!
}
type Mutation {
  rename(name: String!): Pet
  surely(name: String!): Pet!
}
`;

type Rest = (call: string, query: Record<string, unknown>) => unknown;
type Context = { readonly rest: { call(name: string, query?: Record<string, unknown>): Promise<never> } };
type Parent = Record<string, string>;

const person = (key: string) =>
  level((parents: readonly Parent[], _args, { rest }) =>
    batchOne(
      parents.map((parent) => parent[key]),
      3,
      "id",
      (ids) => (rest as unknown as Context["rest"]).call("people", { ids }),
    ),
  );
const members = (...nullable: "nullItems"[]) =>
  level((parents: readonly { memberIds: string[] }[], _args, { rest }) =>
    batchEach(
      parents.map(({ memberIds }) => memberIds),
      3,
      "id",
      (ids) => (rest as unknown as Context["rest"]).call("people", { ids }),
      ...nullable,
    ),
  );
const chooser = {
  __resolveType: (parent: Parent) =>
    resolveTypeByValue(parent.kind, { person: "Person", team: "Team", pet: "Pet" }),
};
const call =
  (name: string) =>
  (_parent: unknown, args: Record<string, unknown>, { rest }: Context): Promise<unknown> =>
    rest.call(name, args);

const resolvers = {
  Mood: { GLAD: "is-glad", SAD: "is-sad" },
  Named: chooser,
  Owner: chooser,
  Person: {
    id: property("id"),
    like: property("like"),
    name: property("full-name"),
    mood: property("mood"),
    boss: person("bossId"),
    bossOrNot: person("bossId"),
    home: property("home"),
    pets: level((parents: readonly Parent[], _args, { rest }) =>
      batchMany(
        parents.map(({ id }) => id),
        3,
        "ownerId",
        (ids) => (rest as unknown as Context["rest"]).call("petsOf", { ids }),
      ),
    ),
  },
  Team: {
    id: property("id"),
    like: property("like"),
    name: property("name"),
    size: property("size"),
    home: property("home"),
    members: members("nullItems"),
    allMembers: members(),
  },
  Pet: {
    id: property("id"),
    like: property("like"),
    name: property("name"),
    owner: property("owner"),
    keeper: person("keeperId"),
    page: itself,
    grid: property("grid"),
    extra: property("extra"),
    sure: property("sure"),
    vet: ({ id }: Parent, _args: object, { rest }: Context) => rest.call("vet", { id }),
    toys: property("toys"),
  },
  Toy: { label: property("label"), maker: person("makerId") },
  Home: { city: property("city"), room: property("room"), keeper: person("keeperId") },
  Page: {
    next: property("next"),
    // breaks the contract of levels; no generated resolver does
    broken: level(async () => undefined as never),
  },
  Query: {
    pets: call("pets"),
    pet: call("pet"),
    person: call("person"),
    named: call("named"),
    sure: call("sure"),
  },
  Mutation: { rename: call("rename"), surely: call("surely") },
};

const log = { debug() {}, info() {}, warn() {}, error() {} };

/** `answers` returns or throws the result of a REST call. `ask` returns the GraphQL response as a client reads it. */
export async function openSchema(answers: Rest, environment: NodeJS.ProcessEnv = {}) {
  const executions: ExecutionCounts = { count: 0 };
  const schema = executableSchema(typeDefs, { resolvers, argumentSchemas: {}, argumentNames: {} });
  const apollo = new Apollo({
    config: readConfig(environment, ["graphql"]),
    schema,
    log: log as never,
    executions,
  });
  await apollo.start();
  onTestFinished(() => apollo.stop());
  const calls: string[] = [];
  const rest = {
    forField: () => rest,
    async call(name: string, query: Record<string, unknown> = {}) {
      calls.push(Object.keys(query).length > 0 ? `${name} ${JSON.stringify(query)}` : name);
      return answers(name, query);
    },
  };
  const ask = async (query: string, variables: Record<string, unknown> = {}) => {
    const contextValue = {
      rest,
      scope: freeScope,
      log: new LogLines(log as never, "off"),
      requestId: "r",
    } as never;
    const { body } = await apollo.execute({ query, variables }, contextValue);
    if (body.kind !== "single") throw new Error("no incremental answers here");
    return JSON.parse(JSON.stringify(body.singleResult)) as {
      data?: unknown;
      errors?: { message: string; path?: unknown; locations?: unknown; extensions: { code: string } }[];
    };
  };
  return { ask, calls, executions };
}

export const people = ({ ids }: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  (ids as string[]).map((id) => ({
    kind: "person",
    id,
    "full-name": `Name ${id}`,
    bossId: `boss-${id}`,
    ...more,
  }));

export const failed = (message = "it failed"): never => {
  throw new CodedError("UPSTREAM_ERROR", message);
};
