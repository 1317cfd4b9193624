import type { z } from 'zod';
import { isMap, type Plain } from '../file/profiles.ts';

/** The values of a map that are each valid, with their defaults. */
export function wellFormed<Shape extends z.ZodRawShape>(
  shape: Shape,
  raw: Plain | undefined,
): Partial<z.output<z.ZodObject<Shape>>> {
  const values = isMap(raw) ? raw : {};
  const entries = Object.entries(shape).flatMap(([key, schema]) => {
    const parsed = (schema as z.ZodType).safeParse(values[key]);
    return parsed.success ? [[key, parsed.data]] : [];
  });
  return Object.fromEntries(entries) as Partial<z.output<z.ZodObject<Shape>>>;
}
