/** What an instance class has, for the server and for all its volumes together. */
export interface ClassCapacity {
  vcpus: number;
  /** What the class has before RDS's own processes take their share. */
  memoryBytes: number;
  /** What EBS sustains, and what it reaches for half an hour a day; null if that is not known. */
  ebs: { baseline: EbsRate; maximum: EbsRate } | null;
}

export interface EbsRate {
  iops: number;
  megabytesPerSecond: number;
}

/** Mbps and IOPS, as AWS lists them. */
type Listed = readonly [mbps: number, iops: number];

/** What the sizes of a family sustain. For half an hour a day, small sizes reach what the larger ones sustain. */
interface EbsOfSizes {
  burst: Listed;
  sizes: Readonly<Record<string, Listed>>;
}

/*
 * Source: Amazon EC2 Instance Types, "Amazon EBS specifications" of each category, as of November 2024 and 2026, and Amazon
 * RDS User Guide, "Hardware specifications for DB instance classes". AWS does not change a class that it sells. What is not
 * here is not judged; `doctor` asks EC2.
 */
const graviton2: EbsOfSizes = {
  burst: [4750, 20_000],
  sizes: {
    large: [630, 3600],
    xlarge: [1188, 6000],
    '2xlarge': [2375, 12_000],
    '4xlarge': [4750, 20_000],
    '8xlarge': [9500, 40_000],
    '12xlarge': [14_250, 50_000],
    '16xlarge': [19_000, 80_000],
  },
};
const intel5: EbsOfSizes = {
  burst: [4750, 18_750],
  sizes: {
    large: [650, 3600],
    xlarge: [1150, 6000],
    '2xlarge': [2300, 12_000],
    '4xlarge': [4750, 18_750],
    '8xlarge': [6800, 30_000],
    '12xlarge': [9500, 40_000],
    '16xlarge': [13_600, 60_000],
    '24xlarge': [19_000, 80_000],
  },
};
const fromXlarge: EbsOfSizes['sizes'] = {
  xlarge: [1250, 6000],
  '2xlarge': [2500, 12_000],
  '4xlarge': [5000, 20_000],
  '8xlarge': [10_000, 40_000],
  '12xlarge': [15_000, 60_000],
  '16xlarge': [20_000, 80_000],
};
const burst: Listed = [10_000, 40_000];
const upTo24: EbsOfSizes['sizes'] = { ...fromXlarge, '24xlarge': [30_000, 120_000] };
const graviton3: EbsOfSizes = { burst, sizes: { large: [630, 3600], ...fromXlarge } };
const graviton4: EbsOfSizes = { burst, sizes: { large: [630, 3600], ...upTo24, '48xlarge': [40_000, 240_000] } };
const intel6: EbsOfSizes = { burst, sizes: { large: [650, 3600], ...upTo24, '32xlarge': [40_000, 160_000] } };
const intel7: EbsOfSizes = { burst, sizes: { large: [650, 3600], ...upTo24, '48xlarge': [40_000, 240_000] } };

const r5b: EbsOfSizes = {
  burst: [10_000, 43_333],
  sizes: {
    large: [1250, 5417],
    xlarge: [2500, 10_833],
    '2xlarge': [5000, 21_667],
    '4xlarge': [10_000, 43_333],
    '8xlarge': [20_000, 86_667],
    '12xlarge': [30_000, 130_000],
    '16xlarge': [40_000, 173_333],
    '24xlarge': [60_000, 260_000],
  },
};
const intel6n: EbsOfSizes = {
  burst: [25_000, 100_000],
  sizes: {
    large: [1562, 6250],
    xlarge: [3125, 12_500],
    '2xlarge': [6250, 25_000],
    '4xlarge': [12_500, 50_000],
    '8xlarge': [25_000, 100_000],
    '12xlarge': [37_500, 150_000],
    '16xlarge': [50_000, 200_000],
    '24xlarge': [75_000, 300_000],
    '32xlarge': [100_000, 400_000],
  },
};

const families: Readonly<Record<string, EbsOfSizes>> = {
  r5b,
  ...Object.fromEntries(['m5', 'm5d', 'r5', 'r5d'].map((family) => [family, intel5])),
  ...Object.fromEntries(['c6gd', 'm6g', 'm6gd', 'r6g', 'r6gd'].map((family) => [family, graviton2])),
  ...Object.fromEntries(['m6i', 'm6id', 'r6i', 'r6id'].map((family) => [family, intel6])),
  ...Object.fromEntries(['m6in', 'm6idn', 'r6in', 'r6idn'].map((family) => [family, intel6n])),
  ...Object.fromEntries(['m7g', 'r7g'].map((family) => [family, graviton3])),
  ...Object.fromEntries(['m7i', 'r7i'].map((family) => [family, intel7])),
  ...Object.fromEntries(['m8g', 'm8gd', 'r8g', 'r8gd'].map((family) => [family, graviton4])),
};

/** GiB of memory for one vCPU, by the letter of the family. */
const gibPerVcpu: Readonly<Record<string, number>> = { c: 2, m: 4, r: 8 };

/** GiB of memory of t3 and t4g. */
const burstable: Readonly<Record<string, number>> = {
  ...{ micro: 1, small: 2, medium: 4, large: 8, xlarge: 16, '2xlarge': 32 },
};

const gib = 2 ** 30;

/** What a class such as db.r6g.2xlarge has; null if that is not known. */
export function capacityOf(databaseClass: string): ClassCapacity | null {
  const [, family = '', size = ''] = databaseClass.split('.');
  const vcpus = vcpusOf(databaseClass);
  const burstableGib = ['t3', 't4g'].includes(family) ? burstable[size] : undefined;
  if (burstableGib !== undefined) return { vcpus, memoryBytes: burstableGib * gib, ebs: null };
  const known = families[family];
  const sustained = known?.sizes[size];
  const perVcpu = gibPerVcpu[family.charAt(0)];
  if (known === undefined || sustained === undefined || perVcpu === undefined) return null;
  const [mbps, iops] = sustained;
  const maximum = rate([Math.max(mbps, known.burst[0]), Math.max(iops, known.burst[1])]);
  return { vcpus, memoryBytes: perVcpu * vcpus * gib, ebs: { baseline: rate(sustained), maximum } };
}

function rate([mbps, iops]: Listed): EbsRate {
  return { iops, megabytesPerSecond: mbps / 8 };
}

/** In families whose smallest size is large, large has two vCPUs, and xlarge has four for each in its number. */
export function vcpusOf(databaseClass: string): number {
  const [, count] = /\.(\d*)xlarge$/.exec(databaseClass) ?? [];
  return count === undefined ? 2 : 4 * Number(count === '' ? 1 : count);
}
