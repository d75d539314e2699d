/**
 * Safe lookups by untrusted names. Objects inherit properties such as `constructor` and `__proto__`. Therefore, names that come
 * from documents, clients or REST must be looked up in a `Map`, in a `Dictionary`, or with `own`.
 */

export const own = <Value>(
  object: Readonly<Record<string, Value>>,
  name: string | number,
): Value | undefined => (Object.hasOwn(object, name) ? object[name] : undefined);

/** An object without inherited properties, where a `Map` cannot be used. V8 accesses it faster than `Object.create(null)`. */
export class Dictionary<Value> {
  [name: string]: Value;
  /** Makes the type nominal, so that an object literal, which has a prototype, is not assignable to it. */
  declare protected readonly nominal: never;

  constructor(...members: readonly Readonly<Record<string, Value>>[]) {
    for (const each of members) Object.assign(this, each);
  }

  static {
    Reflect.deleteProperty(Dictionary.prototype, "constructor");
    Object.setPrototypeOf(Dictionary.prototype, null);
  }
}

/** Whether ordinary objects inherit a property of this name. */
export const isInherited = (name: string): boolean => name in Object.prototype;
