/**
 * In these last minutes before its stack expires, a run only saves its results: what is not in S3 goes with the stack.
 * It has as long after its dollars are spent.
 */
export const savingMinutes = 15;

/** The stack looks this often whether to delete itself. */
export const lookMinutes = 5;

/** How long CloudFormation takes to delete a stack, as docs/costs.md counts it. */
export const deletionMinutes = 10;

/** How long a stack bills after its time is up: it notices, and deletes itself. */
export const endMinutes = lookMinutes + deletionMinutes;

/**
 * How long a stack may bill after `limits.dollars` are spent: the run saves its results, then the stack notices, and
 * deletes itself.
 */
export const marginMinutes = savingMinutes + endMinutes;

/** The dollars at which a stack begins to delete itself, so that it is gone within the margin. */
export function deletionDollars(limit: number, dollarsPerHour: number): number {
  return limit + (savingMinutes / 60) * dollarsPerHour;
}

/** The dollars that a stack costs at most. */
export function maxDollars(limit: number, dollarsPerHour: number): number {
  return limit + (marginMinutes / 60) * dollarsPerHour;
}
