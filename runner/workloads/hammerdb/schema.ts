import { z } from 'zod';
import type { Single } from '../lists.ts';

const oneUsersSchema = z.int().min(1).max(10_000);

export const hammerdbSchema = z.strictObject({
  tool: z.literal('hammerdb'),
  warehouses: z
    .int()
    .min(1)
    .max(100_000)
    .describe('Scale (pg_count_ware): each has ten districts and 30,000 customers, about 100 MB.'),
  users: z
    .union([oneUsersSchema, z.array(oneUsersSchema).min(1)])
    .describe('Virtual users; or a list such as [4, 8]: each block measures every variant at each.'),
  buildUsers: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe('Virtual users that build the schema (pg_num_vu). Left out: one for each warehouse, 8 at most.'),
  durationMinutes: z.int().min(1).max(1440).describe('Length of a trial (pg_duration), in whole minutes.'),
  allWarehouses: z
    .boolean()
    .default(true)
    .describe(
      'pg_allwarehouse: users share the warehouses out and go round theirs. With false, each stays with one that it draws, so that two users may draw the same one, in one trial and not in the next.',
    ),
  keyingAndThinking: z
    .boolean()
    .default(false)
    .describe('pg_keyandthink: users wait as in TPC-C. Then each does two or three transactions a minute.'),
  storedProcedures: z
    .boolean()
    .default(true)
    .describe('pg_storedprocs: the transactions are procedures, as in HammerDB’s own scripts; with false, functions.'),
  archive: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A release of HammerDB as .tar.gz, relative to the experiment file; a deploy takes it to the driver. Left out: PGDUET_HAMMERDB, /opt/HammerDB-*, and on a driver with a path to the internet the release that pgduet knows.',
    ),
});

/** The workload as the experiment declares it. */
export type DeclaredHammerdb = z.output<typeof hammerdbSchema>;
/** The workload of one trial: one value of everything that may be declared as a list. */
export type HammerdbWorkload = Single<DeclaredHammerdb, 'users'>;

/** What may be declared as a list. */
export const listed = ['users'] as const;

const mostBuildUsers = 8;

/** How many virtual users build the schema. */
export function buildUsersOf({ buildUsers, warehouses }: Pick<DeclaredHammerdb, 'buildUsers' | 'warehouses'>): number {
  return buildUsers ?? Math.min(warehouses, mostBuildUsers);
}
