/** Credentials that are missing, wrong, repeated or in conflict. */

import { spoofed } from "./headers.ts";
import { bare, get, type Hostile, me } from "./request.ts";

export const credentials: Hostile[] = [
  { name: "no key", bytes: bare(me, () => []), answers: [401] },
  {
    name: "no key, all context headers spoofed",
    bytes: bare(me, (front) => spoofed(front, String)),
    answers: [401],
  },
  { name: "empty key", bytes: bare(me, () => ["X-API-Key:"]), answers: [401] },
  { name: "malformed key", bytes: bare(me, () => ["X-API-Key: sk_test_nonsense"]), answers: [401] },
  {
    name: "key with an underscore name",
    bytes: bare(me, ({ key }) => [`X_API_Key: ${key}`]),
    answers: [400, 401],
  },
  {
    name: "basic credentials",
    bytes: bare(me, ({ key }) => [`Authorization: Basic ${key}`]),
    answers: [401],
  },
  {
    name: "key in the query string",
    bytes: (front) => bare(`${me}?api_key=${front.key}&access_token=${front.key}`, () => [])(front),
    answers: [401],
  },
  {
    name: "two different keys",
    bytes: get(me, (f) => [`Authorization: Bearer ${f.otherKey}`]),
    answers: [400],
  },
  { name: "a key and another scheme", bytes: get(me, () => ["Authorization: Basic abc"]), answers: [400] },
  { name: "X-API-Key repeated, same", bytes: get(me, (f) => [`X-API-Key: ${f.key}`]), answers: [400] },
  {
    name: "X-API-Key repeated, different",
    bytes: get(me, (f) => [`x-api-key: ${f.otherKey}`]),
    answers: [400],
  },
  {
    name: "X-API-Key joined by a comma",
    bytes: bare(me, (f) => [`X-API-Key: ${f.key}, ${f.key}`]),
    answers: [400, 401],
  },
  {
    name: "Authorization repeated",
    bytes: bare(me, (f) => [`Authorization: Bearer ${f.key}`, `Authorization: Bearer ${f.otherKey}`]),
    answers: [400],
  },
];
