import type { Result } from '../../contract/result.ts';
import { metricWords } from '../words/metrics.ts';
import { absent, inScale, percentRange, scaleFor, signedPercent } from '../words/quantities.ts';
import { left, right, type Table } from './table.ts';

/**
 * All variants at a glance, where there are more than two: volumes as in study 2's table, then the declared metric and how
 * it compares with the baseline's. Without rows for two variants, which one comparison shows.
 */
export function variantsTable({ variants, experiment, comparisons }: Result): Table {
  const decisive = comparisons.filter(({ primary }) => primary);
  const [first] = decisive;
  const { label, kind, per } = metricWords(first ?? { metric: experiment.definition.decision.metric, unit: '' });
  const sides = new Map(
    decisive.flatMap(({ baseline, candidate }) => [
      [baseline.variant, baseline],
      [candidate.variant, candidate],
    ]),
  );
  const scale = scaleFor(
    kind,
    [...sides.values()].map(({ median }) => median),
  );
  const shown = first !== undefined && variants.length > 2 ? variants : [];
  return {
    title: 'All variants',
    columns: [
      left('variant'),
      left('data on'),
      left('WAL on'),
      right(scale.unit === '' ? label : `${label} (${scale.unit}${per})`),
      right('change'),
      right('interval of change'),
      left('verdict'),
    ],
    rows: shown.map(({ name }) => {
      const comparison = decisive.find(({ candidate }) => candidate.variant === name);
      const { verdict = null, change = null, interval = null } = comparison ?? {};
      return {
        cells: [
          name,
          ...volumesOf(experiment.definition.variants[name]),
          inScale(sides.get(name)?.median ?? null, scale),
          comparison ? signedPercent(change) : 'baseline',
          interval ? percentRange(interval.low, interval.high) : absent,
          verdict ?? '',
        ],
        tone: verdict === 'better' ? 'good' : verdict === 'worse' ? 'bad' : undefined,
      };
    }),
    notes: [],
  };
}

type Variant = Result['experiment']['definition']['variants'][string];

function volumesOf(variant: Variant | undefined): [data: string, wal: string] {
  if (!variant) return [absent, absent];
  const { storage, dedicatedLogVolume } = variant;
  const logIops = 'logVolumeIops' in storage ? storage.logVolumeIops : undefined;
  const data = `${storage.type === 'local' ? '' : `${storage.type}, `}${iopsInWords(storage.iops)}`;
  return [data, dedicatedLogVolume ? (logIops === undefined ? 'its own' : iopsInWords(logIops)) : 'data’s'];
}

function iopsInWords(iops: number | undefined): string {
  return iops === undefined ? 'a disk without limit' : `${iops.toLocaleString('en-US')} IOPS`;
}
