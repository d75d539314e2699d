/**
 * Lookups by a name that a document, a client or REST chose. Every object inherits names such as `constructor` and
 * `__proto__`, so such a name is looked up in a `Map`, by `own`, or in a `Dictionary`.
 */

/** The object's own member of this name. */
export const own = <Value>(
  object: Readonly<Record<string, Value>>,
  name: string | number,
): Value | undefined => (Object.hasOwn(object, name) ? object[name] : undefined);

/**
 * An object that inherits nothing, for what takes no `Map`. V8 keeps its members in the fast form of a class, which an
 * `Object.create(null)` does not have.
 */
export class Dictionary<Value> {
  [name: string]: Value;
  /** Makes the type nominal: an object literal, which has a prototype, is no `Dictionary`. */
  declare protected readonly nominal: never;

  constructor(...members: readonly Readonly<Record<string, Value>>[]) {
    for (const each of members) Object.assign(this, each);
  }

  static {
    Reflect.deleteProperty(Dictionary.prototype, "constructor");
    Object.setPrototypeOf(Dictionary.prototype, null);
  }
}

/** Whether every object inherits a member of this name. */
export const isInherited = (name: string): boolean => name in Object.prototype;
