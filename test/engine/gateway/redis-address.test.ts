/** The forms of REDIS_URL: one server, Sentinel, a cluster; what is wanted instead of others, without their passwords. */
import { describe, expect, test } from "vitest";
import { parseRedisAddress, RedisGroup } from "../../../src/engine/runtime/settings/redis-address.ts";

const group = { isTls: false, username: "", password: "", database: 0, master: "" };

describe("REDIS_URL", () => {
  test.each([
    "redis://127.0.0.1",
    "rediss://:word@redis.example:6380/2",
    "redis://user:word@[::1]:6379?family=6",
  ])("%s is one server", (text) => {
    expect(parseRedisAddress(text)).toEqual(new URL(text));
  });

  test.each<[string, Partial<RedisGroup>]>([
    [
      "redis-sentinel://a,b:1,[::1]:2,10.0.0.1#mymaster",
      {
        kind: "sentinel",
        hosts: [
          { host: "a", port: 26_379 },
          { host: "b", port: 1 },
          { host: "::1", port: 2 },
          { host: "10.0.0.1", port: 26_379 },
        ],
        master: "mymaster",
      },
    ],
    [
      "rediss-sentinel://user:p%40ss%2C@s.example/3#m-1.x",
      {
        ...{
          kind: "sentinel",
          isTls: true,
          username: "user",
          password: "p@ss,",
          database: 3,
          master: "m-1.x",
        },
        hosts: [{ host: "s.example", port: 26_379 }],
      },
    ],
    [
      "redis-cluster://a:7000,b:7001,c",
      {
        kind: "cluster",
        hosts: [
          { host: "a", port: 7_000 },
          { host: "b", port: 7_001 },
          { host: "c", port: 6_379 },
        ],
      },
    ],
    [
      "rediss-cluster://:word@clustercfg.example:6379/0",
      {
        kind: "cluster",
        isTls: true,
        password: "word",
        hosts: [{ host: "clustercfg.example", port: 6_379 }],
      },
    ],
  ])("%s is a group", (text, parts) => {
    const place = parseRedisAddress(text);
    expect(place).toEqual(Object.assign(Object.create(RedisGroup.prototype), { ...group, ...parts }));
    expect(String(place)).not.toMatch(/word|p@ss|p%40/);
  });

  test("is printed without user and password", () => {
    expect(String(parseRedisAddress("rediss-sentinel://user:word@a,[::1]:2/3#m"))).toBe(
      "rediss-sentinel://(secret)@a:26379,[::1]:2/3#m",
    );
    expect(String(parseRedisAddress("redis-cluster://a"))).toBe("redis-cluster://a:6379");
  });

  test.each([
    ["http://a", "must be a redis:// URL"],
    ["a:6379", "must be a redis:// URL"],
    ["redis-http://a", "must be a redis:// URL"],
    ["redis-sentinel://a,b", "must end with the name of the master"],
    ["redis-sentinel://a,b#", "must be a redis:// URL"],
    ["redis-sentinel://:word@#m", "must be a redis:// URL"],
    ["redis-sentinel://a,,b#m", "must be a redis:// URL"],
    ["redis-sentinel://a:b#m", "must be a redis:// URL"],
    ["redis-sentinel://a:99999#m", "must be a redis:// URL"],
    ["redis-sentinel://a?password=word#m", "must be a redis:// URL"],
    ["redis-sentinel://word@a#m", "must be a redis:// URL"],
    ["redis-sentinel://:%zz@a#m", "must have %-encoded characters"],
    ["redis-cluster://a/1", "must not have a database or # for a cluster"],
    ["redis-cluster://a#m", "must not have a database or # for a cluster"],
    ["redis-cluster://", "must be a redis:// URL"],
  ])("%s is refused", (text, wanted) => {
    expect(() => parseRedisAddress(text)).toThrow(wanted);
    expect(() => parseRedisAddress(text)).not.toThrow(/[:=]word|word@/);
  });
});
