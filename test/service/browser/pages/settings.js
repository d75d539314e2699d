/** What the pages of the clients share. */
export const { uri } = document.documentElement.dataset;
export const headers = { "X-API-Key": document.documentElement.dataset.key };

export const query = `query Page {
  me { email }
  ... @defer { agents { id name } }
}`;

export function show({ data, isWhole }) {
  const { me, agents = [] } = data ?? {};
  document.querySelector("#page").innerHTML =
    `<p>${me?.email}</p><ul id="agents">${agents.map(({ name }) => `<li>${name}</li>`).join("")}</ul>`;
  document.title = isWhole ? "whole" : "waiting";
}
