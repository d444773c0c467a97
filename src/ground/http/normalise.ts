import { isUuid } from '../lib/ids.ts';
import { type Issue, issueAt } from '../lib/issues.ts';

/** The parts of a JSON Schema that control how values are normalised before the check. */
export type Shape = {
  type?: string;
  format?: string;
  properties?: Record<string, Shape>;
  required?: string[];
  /** Undeclared fields are refused, not dropped. */
  additionalProperties?: boolean;
  items?: Shape;
  maxItems?: number;
  anyOf?: Shape[];
  /** `stored` trims the value. `measured` checks the length of the trimmed value but stores the value as sent. */
  'x-trim'?: 'stored' | 'measured';
  /** An empty string counts as left out. */
  'x-empty'?: 'absent';
};

/** Finds lists longer than the schema allows. Runs first, so that no caller makes us check a million items. */
export function overlongLists(shape: Shape, value: unknown, path: string): Issue[] {
  const variant = variantOf(shape, value);
  if (Array.isArray(value)) {
    const { items, maxItems = Number.POSITIVE_INFINITY } = variant;
    if (value.length > maxItems) return [issueAt(path, 'too_many_items', { limit: maxItems })];
    return items === undefined ? [] : value.flatMap((item, at) => overlongLists(items, item, `${path}.${at}`));
  }
  if (variant.properties === undefined || typeof value !== 'object' || value === null) return [];
  const given = value as Record<string, unknown>;
  return Object.entries(variant.properties).flatMap(([key, property]) =>
    Object.hasOwn(given, key) ? overlongLists(property, given[key], `${path}.${key}`) : [],
  );
}

function variantOf(shape: Shape, value: unknown): Shape {
  return shape.anyOf === undefined ? shape : (shape.anyOf.find(({ type }) => type === typeName(value)) ?? shape);
}

/**
 * Normalises a body by its schema: drops undeclared fields unless it refuses them, optional nulls and (with `x-empty`)
 * empty optional text, trims text and lower-cases ids. Never changes a type: the check reports values that do not fit.
 * @param purpose 'check' also trims text with `x-trim: measured`; 'use' leaves such text as sent
 */
export function normaliseBody(shape: Shape, value: unknown, purpose: 'check' | 'use'): unknown {
  const variant = variantOf(shape, value);
  if (typeof value === 'string') return normaliseText(variant, value, purpose);
  if (Array.isArray(value) && variant.items !== undefined) {
    const { items } = variant;
    return value.map((item) => normaliseBody(items, item, purpose));
  }
  if (variant.properties === undefined || typeof value !== 'object' || value === null || Array.isArray(value))
    return value;
  // The check reports undeclared fields.
  const kept: Record<string, unknown> = variant.additionalProperties === false ? { ...value } : {};
  for (const [key, property] of Object.entries(variant.properties)) {
    if (!Object.hasOwn(value, key)) continue;
    const given = (value as Record<string, unknown>)[key];
    delete kept[key];
    if (given === null && !allowsNull(property) && !variant.required?.includes(key)) continue;
    if (typeof given === 'string' && property['x-empty'] === 'absent' && given.trim() === '') continue;
    kept[key] = normaliseBody(property, given, purpose);
  }
  return kept;
}

function normaliseText(shape: Shape, text: string, purpose: 'check' | 'use'): string {
  if (shape.format === 'uuid') return isUuid(text) ? text.toLowerCase() : text;
  const trims = shape['x-trim'] === 'stored' || (shape['x-trim'] === 'measured' && purpose === 'check');
  return trims ? text.trim() : text;
}

function typeName(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

function allowsNull({ type, anyOf }: Shape): boolean {
  return type === 'null' || (anyOf?.some(allowsNull) ?? false);
}

/**
 * Normalises path and query parameters: drops empty parameters, wraps the single value of a repeatable parameter in a
 * list, coerces whole numbers and booleans and lower-cases ids. The check reports values that cannot be coerced.
 */
export function normaliseParameters(shape: Shape, given: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [key, property] of Object.entries(shape.properties ?? {})) {
    if (!Object.hasOwn(given, key)) continue;
    const all = [given[key]].flat();
    const values = all.filter((value) => value !== '');
    // The check refuses a repeated parameter that may occur only once, even if its other values are empty.
    const isList = property.type === 'array' || all.length > 1;
    if (values.length === 0 && (property.type === 'array' || all.length === 1)) continue;
    const coerced = values.map((value) => coerce(property.items ?? property, String(value)));
    kept[key] = isList ? coerced : coerced[0];
  }
  return kept;
}

function coerce(shape: Shape, text: string): unknown {
  if (shape.type === 'integer' && /^[+-]?\d{1,15}$/.test(text)) return Number(text);
  // Larger numbers become the largest safe number, so that parameters without an upper limit still work.
  if (shape.type === 'integer' && /^\+?\d{16,}$/.test(text)) return Number.MAX_SAFE_INTEGER;
  if (shape.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return normaliseText(shape, text, 'use');
}
