/** Seconds of a setting that pg_settings gives with its unit, such as `300 (s)`; null if the setting is no duration. */
export function settingSeconds(setting: string | undefined): number | null {
  const [, value, unit] = /^(-?\d+(?:\.\d+)?) \((ms|s|min|h|d)\)$/.exec(setting ?? '') ?? [];
  if (value === undefined || unit === undefined) return null;
  return Number(value) * { ms: 0.001, s: 1, min: 60, h: 3600, d: 86_400 }[unit as 'ms'];
}
