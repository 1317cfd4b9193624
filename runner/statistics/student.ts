/**
 * The chance that Student's t is at least so far from zero, on either side. With t = root of freedom times tan(angle), its
 * density is a power of the cosine, which is summed by Simpson's rule.
 *
 * @param freedom degrees of freedom, 1 or more; they need not be whole
 */
export function studentTails(statistic: number, freedom: number): number {
  const power = (angle: number): number => Math.max(0, Math.cos(angle)) ** (freedom - 1);
  const from = Math.atan(statistic / Math.sqrt(freedom));
  return simpson(power, from, Math.PI / 2) / simpson(power, 0, Math.PI / 2);
}

/**
 * How far from zero Student's t lies, on either side, with this chance; to within a millionth of it.
 *
 * @param chance above 0 and below 1, such as 0.05
 */
export function studentLimit(chance: number, freedom: number): number {
  let [low, high] = [0, 1];
  while (studentTails(high, freedom) > chance) high *= 2;
  while (high - low > 1e-7 * high) {
    const middle = (low + high) / 2;
    if (studentTails(middle, freedom) > chance) low = middle;
    else high = middle;
  }
  return high;
}

function simpson(value: (x: number) => number, from: number, to: number): number {
  const steps = 200;
  const width = (to - from) / steps;
  let sum = value(from) + value(to);
  for (let step = 1; step < steps; step++) sum += (step % 2 === 1 ? 4 : 2) * value(from + step * width);
  return (sum * width) / 3;
}
