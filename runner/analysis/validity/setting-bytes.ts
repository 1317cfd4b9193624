/** Bytes of a setting that pg_settings gives with its unit, such as `96 (MB)` or `16384 (8kB)`; null if it is no size. */
export function settingBytes(setting: string | undefined): number | null {
  const [, value, count, unit] = /^(\d+) \((\d*)(B|kB|MB|GB)\)$/.exec(setting ?? '') ?? [];
  if (value === undefined || unit === undefined) return null;
  return (
    Number(value) * Number(count === '' ? 1 : count) * { B: 1, kB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 }[unit as 'B']
  );
}
