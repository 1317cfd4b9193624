/** A setting as pg_settings tells it with its unit, such as `300 (s)`; null where it is no duration. */
export function settingSeconds(setting: string | undefined): number | null {
  const [, value, unit] = /^(-?\d+(?:\.\d+)?) \((ms|s|min|h|d)\)$/.exec(setting ?? '') ?? [];
  if (value === undefined || unit === undefined) return null;
  return Number(value) * { ms: 0.001, s: 1, min: 60, h: 3600, d: 86_400 }[unit as 'ms'];
}
