import { z } from 'zod';

/** US dollars; `low` and `high` differ if sources disagree on a price. */
const dollarsSchema = z.object({ low: z.number(), high: z.number() });

const partSchema = z.object({
  /** Such as `10,000 IOPS of io2`. */
  what: z.string(),
  /**
   * Its unit, such as `class=db.r5.16xlarge deployment=single-az kind=database-instance`: parts with the same unit have
   * the same price.
   */
  unit: z.string(),
  /** Whether it is part of a dedicated log volume. */
  logVolume: z.boolean(),
  /** For a month of 730 hours; null if the price is not known. */
  dollarsPerMonth: dollarsSchema.nullable(),
  /** Where the price comes from, and its date; null if it is not known. */
  source: z.string().nullable(),
  date: z.string().nullable(),
});

/**
 * What one server of a variant costs, on demand: its instance, storage, IOPS, throughput and log volume. Parts that are
 * needed only to measure it, such as the driver, are left out.
 */
export const variantCostSchema = z.object({
  region: z.string(),
  /** null if the price of a part is not known. */
  dollarsPerHour: dollarsSchema.nullable(),
  dollarsPerMonth: dollarsSchema.nullable(),
  parts: z.array(partSchema),
});

export type VariantCost = z.output<typeof variantCostSchema>;
