import type { ServerBinding } from '../../../runner/rds/contract/binding.ts';
import { type ExaminedDatabase, examineDatabase } from '../../../runner/rds/place/examine-database.ts';
import { boundInstance, fakeClock, type FakeRds } from '../fakes/fake-rds.ts';

/** Examines the database of with-dlv, as a fake RDS describes it, by a clock that does not wait. */
export function examine(
  rds: FakeRds,
  {
    binding = boundInstance(),
    limitSeconds = 600,
    mayReboot = false,
    untilStorageRests = true,
  }: { binding?: ServerBinding; limitSeconds?: number; mayReboot?: boolean; untilStorageRests?: boolean } = {},
): { examined: Promise<ExaminedDatabase>; pauses: number[]; printed: string[] } {
  const clock = fakeClock();
  const printed: string[] = [];
  const polling = {
    ...clock,
    rds: rds.client,
    signal: new AbortController().signal,
    limitSeconds,
    untilStorageRests,
    say: (line: string) => printed.push(line),
  };
  const examined = examineDatabase('with-dlv', binding, polling, { mayReboot });
  return { examined, pauses: clock.pauses, printed };
}
