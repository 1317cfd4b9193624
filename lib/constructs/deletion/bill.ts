import { Choice, Errors, Map as MapState, Pass, ProvideItems, type State } from 'aws-cdk-lib/aws-stepfunctions';
import { CallAwsService } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';
import type { StackPrice } from '../../../runner/rds/prices/bill.ts';
import { deletionDollars } from '../../../runner/rds/prices/margin.ts';
import { rdsArn } from '../permissions/permission.ts';
import { add, answerTimeout, byRegion, hourMs, ifTrue, input, jsonata, known, now, retry } from './tasks.ts';

export interface BillSteps {
  /** What the stack costs, by Region. Where it is unknown, `limitDollars` ends nothing. */
  readonly prices: ReadonlyMap<string, StackPrice>;
  /** `limits.dollars` of the experiment; undefined for none. */
  readonly limitDollars: number | undefined;
  /** Identifiers of the instances that are billed from when they are available. */
  readonly instances: readonly string[];
}

/** Fields with what the stack costs an hour, and at how many dollars it ends; null where that is unknown. */
export function priceFields({
  prices,
  limitDollars,
}: BillSteps): Record<'whole' | 'withoutDatabases' | 'endsAt', string> {
  const of = (number: (price: StackPrice) => number): string =>
    byRegion(new Map([...prices].map(([region, price]) => [region, number(price)])));
  return {
    whole: of(({ whole }) => whole),
    withoutDatabases: of(({ withoutDatabases }) => withoutDatabases),
    endsAt:
      limitDollars === undefined ? 'null' : of(({ whole }) => Number(deletionDollars(limitDollars, whole).toFixed(2))),
  };
}

/**
 * Computes the bill as `billedSince` of costs/bill.ts does, by asking RDS when the first database became available. If RDS
 * refuses to say, or does not answer, they count from the creation of the stack: whatever it does, the limit ends the bill.
 * Goes on with `spent` if the limit is reached, otherwise with `next`.
 */
export function lookAtBill(
  scope: Construct,
  { limitDollars, instances }: BillSteps,
  { spent, next }: { spent: State; next: State },
): State {
  // Step Functions refuses $ for the item at hand, and writes names of RDS in its own way: DbInstances, not DBInstances.
  const database = '$states.result.DbInstances[0]';
  const lookAtDatabase = CallAwsService.jsonata(scope, 'LookAtDatabase', {
    service: 'rds',
    action: 'describeDBInstances',
    parameters: { DbInstanceIdentifier: jsonata(input) },
    iamResources: instances.map((identifier) => rdsArn('db', identifier)),
    taskTimeout: answerTimeout,
    outputs: {
      at: jsonata(
        `$exists(${database}.InstanceCreateTime) and ${database}.DbInstanceStatus != 'creating'
        ? $toMillis(${database}.InstanceCreateTime) : 0`,
      ),
    },
  });
  lookAtDatabase.addRetry(retry);
  lookAtDatabase.addCatch(Pass.jsonata(scope, 'NoDatabase'), {
    errors: [Errors.ALL],
    outputs: { at: jsonata(`$contains($states.errorOutput.Cause, 'Status Code: 404') ? 0 : -1`) },
  });
  const look = MapState.jsonata(scope, 'LookAtDatabases', {
    items: ProvideItems.jsonArray([...instances]),
    maxConcurrency: 40,
    outputs: jsonata(`(
      $times := $states.result[at > 0].at;
      $from := $exists($times) ? $min($times) : $exists($states.result[at < 0]) ? ${input}.createdAt : ${now};
      $merge([${input}, {
        'databasesAt': $exists($times) ? $from : null,
        'dollars': ${known('whole')}
          ? ($from - ${input}.createdAt) / ${hourMs} * ${input}.withoutDatabases + (${now} - $from) / ${hourMs} * ${input}.whole
          : null
      }])
    )`),
  });
  look.itemProcessor(lookAtDatabase);
  if (limitDollars === undefined) {
    look.next(next);
    return look;
  }
  const choice = Choice.jsonata(scope, 'LimitIsReached')
    .when(ifTrue(`${known('endsAt')} ? ${input}.dollars >= ${input}.endsAt : false`), spent, {
      outputs: add({
        why: `'limits.dollars is ${limitDollars}, and that is spent'`,
        reachedAt: `${now} - (${input}.dollars - ${input}.endsAt) / ${input}.whole * ${hourMs}`,
      }),
    })
    .otherwise(next);
  look.next(choice);
  return look;
}
