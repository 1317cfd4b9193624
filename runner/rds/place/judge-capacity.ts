import type { RuleProblem } from '../../contract/check.ts';
import type { ParameterValue, Variant } from '../../contract/experiment/variant.ts';
import { hasLogVolume, type MayHaveLogVolume } from '../../contract/log-volume.ts';
import { bufferBytes, gibText, holdsBuffers, maxBufferShare, pageBytes } from '../../places/shared-memory.ts';
import type { ClassCapacity } from './class-capacity.ts';
import { evaluateFormula } from './parameter-formula.ts';
import { logVolumeIops } from '../deployments/storage.ts';

type Judged = Partial<Pick<Variant, 'class' | 'storage'>> &
  MayHaveLogVolume & { engine?: { parameters: Readonly<Record<string, ParameterValue>> } | undefined };

/** RDS's own formula: the memory that it counts for each connection, and the most that it gives unless asked. */
const bytesPerConnection = 9_531_392;
const defaultConnections = `LEAST({DBInstanceClassMemory/${bytesPerConnection}},5000)`;

/** Shared buffers that the class has no memory for: PostgreSQL takes all of them when it starts. */
export function capacityProblems(variant: Judged, capacity: ClassCapacity): RuleProblem[] {
  const { shared_buffers: value } = variant.engine?.parameters ?? {};
  if (value === undefined) return [];
  const pages = isFormula(value) ? evaluateFormula(String(value), capacity) : null;
  const bytes = pages === null ? bufferBytes(value) : pages * pageBytes;
  if (bytes === null || holdsBuffers(bytes, capacity.memoryBytes)) return [];
  return [
    {
      rule: 'shared-buffers',
      path: ['engine', 'parameters', 'shared_buffers'],
      message: `${gibText(bytes)}, more than ${100 * maxBufferShare}% of the ${gibText(capacity.memoryBytes)} of ${variant.class}, which leaves too little for everything else; expected less, such as RDS’s own {DBInstanceClassMemory/32768}, a quarter of the memory`,
    },
  ];
}

/** The connections that a server allows, at most; null if that is not known. */
export function connectionsAllowed({ engine }: Judged, capacity: ClassCapacity | null): number | null {
  const { max_connections: value = defaultConnections } = engine?.parameters ?? {};
  if (isFormula(value)) return capacity && evaluateFormula(String(value), capacity);
  const number = Number(value);
  return Number.isNaN(number) ? null : number;
}

/** What the class would limit, although RDS allows it; a sentence each. */
export function capacityWarnings(name: string, variant: Judged, capacity: ClassCapacity): string[] {
  return [
    ...connectionWarnings(name, variant, capacity),
    ...(capacity.ebs ? ebsWarnings(name, variant, capacity.ebs) : []),
  ];
}

function connectionWarnings(name: string, { class: databaseClass, engine }: Judged, capacity: ClassCapacity): string[] {
  const { max_connections: value } = engine?.parameters ?? {};
  const room = Math.trunc(capacity.memoryBytes / bytesPerConnection);
  if (value === undefined || isFormula(value) || !(Number(value) > room)) return [];
  return [
    `variants.${name}: max_connections is ${value}. By RDS’s own formula, {DBInstanceClassMemory/${bytesPerConnection}}, ${databaseClass} has memory for ${room} connections.`,
  ];
}

/** The MB in a MiB. AWS counts in MB. */
const megabytesPerMebibyte = 1.048576;

function ebsWarnings(
  name: string,
  variant: Judged,
  { baseline, maximum }: NonNullable<ClassCapacity['ebs']>,
): string[] {
  const { class: databaseClass, storage } = variant;
  const where = `variants.${name}:`;
  const dataIops = storage?.iops;
  const iops = dataIops === undefined ? null : dataIops + (hasLogVolume(variant) ? logVolumeIops : 0);
  const sum = hasLogVolume(variant) ? `${dataIops} for data and ${logVolumeIops} for the log volume` : `${iops}`;
  const throughput = (storage?.throughputMibps ?? 0) * megabytesPerMebibyte;
  return [
    ...(iops !== null && iops > maximum.iops
      ? [
          `${where} ${sum} are more IOPS than ${databaseClass} supports (${maximum.iops}), so the class is the bottleneck.`,
        ]
      : iops !== null && iops > baseline.iops
        ? [
            `${where} ${databaseClass} supports ${iops} IOPS for only half an hour a day, and ${baseline.iops} for the rest; later trials would be slower.`,
          ]
        : []),
    ...(throughput > maximum.megabytesPerSecond
      ? [
          `${where} storage.throughputMibps is more than ${databaseClass} supports (${Math.floor(maximum.megabytesPerSecond / megabytesPerMebibyte)}), so the class is the bottleneck.`,
        ]
      : throughput > baseline.megabytesPerSecond
        ? [
            `${where} ${databaseClass} supports storage.throughputMibps of ${storage?.throughputMibps} for only half an hour a day, and ${Math.floor(baseline.megabytesPerSecond / megabytesPerMebibyte)} for the rest; later trials would be slower.`,
          ]
        : []),
  ];
}

function isFormula(value: ParameterValue): boolean {
  return String(value).includes('{');
}
