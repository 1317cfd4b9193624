/** A change of a series that otherwise has one level. */
export interface Change {
  /** A step: a new level from `index` on. A ramp: it rises or falls from the first value on, and is level from `index` on. */
  shape: 'step' | 'ramp';
  index: number;
  /**
   * 2 × log of how much likelier the series is with the change than without it. Infinity if the change explains all of
   * it.
   */
  likelihoodRatio: number;
}

/** AR(1) coefficients that are tried, and the shares of each that white noise on top takes back. */
const autoregressions = [0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99];
const shares = [0, 0.5, 0.8, 0.92];
const noises = autoregressions.flatMap((phi) =>
  (phi < 0.5 ? [0] : shares).map((share): Noise => ({ phi, theta: phi * share })),
);

/** x(t) = phi x(t−1) + e(t) − theta e(t−1). */
interface Noise {
  phi: number;
  theta: number;
}

/** Sums of squares below this share of the largest are not distinguished. */
const precision = 1e-12;

/**
 * How likely a step or a ramp is at each place of a series, compared with no change at all. It is a likelihood ratio in
 * which the level, the size of the change and the noise are estimated with and without the change. For steps in
 * correlated noise: Robbins, Gallagher, Lund & Aue (2011), "Mean Shift Testing in Correlated Data", Journal of Time
 * Series Analysis 32; for ramps: Hudson (1966), "Fitting Segmented Curves Whose Join Points Have to Be Estimated", JASA
 * 61. Because the noise is estimated separately in the two cases, a step does not pass for autocorrelation.
 *
 * Assumes normal noise that is ARMA(1,1) with 0 ≤ theta ≤ phi, which is what an AR(1) and white noise add up to
 * (Granger & Morris 1976), and at most one change. The coefficients are taken from a grid. The first value has the
 * variance of the series, and later values have that of the innovations. For theta > 0, this is an approximation.
 *
 * @param series at equal distances, not all of them equal
 * @param min values that a step needs on either side. A ramp is at least twice as long; a ramp as long as the series
 *   is a trend
 * @returns every possible change, in no order. The largest ratio of a series has no chi-square distribution; see
 *   `assessSteadiness` for the limit
 */
export function scanForChanges(series: readonly number[], min: number): Change[] {
  const count = series.length;
  const center = series.reduce((sum, value) => sum + value, 0) / count;
  const values = Float64Array.from(series, (value) => value - center);
  let unchanged = Infinity;
  const steps = new Float64Array(count).fill(Infinity);
  const ramps = new Float64Array(count).fill(Infinity);
  for (const noise of noises) {
    const whitened = whiten(values, noise);
    // Likelihoods of different noises compare by their sums of squares over this power of the first value's weight.
    const scale = whitened.firstWeight ** (-2 / count);
    const floor = precision * whitened.unexplained;
    const left = (explained: number): number => scale * Math.max(whitened.unexplained - explained, floor);
    unchanged = Math.min(unchanged, left(0));
    explainByChanges(whitened, noise, (index, byStep, byRamp) => {
      steps[index] = Math.min(steps[index] ?? Infinity, left(byStep));
      ramps[index] = Math.min(ramps[index] ?? Infinity, left(byRamp));
    });
  }
  const ratio = (changed: number | undefined): number => count * Math.log(unchanged / (changed ?? Infinity));
  const changes: Change[] = [];
  for (let index = min; index < count; index++) {
    if (index <= count - min) changes.push({ shape: 'step', index, likelihoodRatio: ratio(steps[index]) });
    if (index >= 2 * min) changes.push({ shape: 'ramp', index, likelihoodRatio: ratio(ramps[index]) });
  }
  return changes;
}

interface Whitened {
  values: Float64Array;
  /** A series of ones after whitening. */
  ones: Float64Array;
  /** Sum of the squares of `ones`, and of its products with `values`. */
  onesSquared: number;
  onesByValues: number;
  firstWeight: number;
  /** Sum of squares that one level leaves. */
  unexplained: number;
}

/** Removes the noise's memory from the series. */
function whiten(series: Float64Array, { phi, theta }: Noise): Whitened {
  const firstWeight = Math.sqrt((1 - phi ** 2) / (1 - 2 * phi * theta + theta ** 2));
  const values = new Float64Array(series.length);
  const ones = new Float64Array(series.length);
  let [squares, onesSquared, onesByValues] = [0, 0, 0];
  let [before, value, one] = [0, 0, 0];
  for (const [index, now] of series.entries()) {
    value = index === 0 ? firstWeight * now : now - phi * before + theta * value;
    one = index === 0 ? firstWeight : 1 - phi + theta * one;
    before = now;
    values[index] = value;
    ones[index] = one;
    squares += value ** 2;
    onesSquared += one ** 2;
    onesByValues += one * value;
  }
  const unexplained = squares - onesByValues ** 2 / onesSquared;
  return { values, ones, onesSquared, onesByValues, firstWeight, unexplained };
}

/**
 * The part of the sum of squares that a step, and a ramp, at each index explains beside the level. A whitened step is
 * final + (1 − final) theta^j, j values after it, so its sums follow from those of the next index. A ramp until an
 * index is the sum of all steps up to it.
 */
function explainByChanges(
  { values, ones, onesSquared, onesByValues }: Whitened,
  { phi, theta }: Noise,
  take: (index: number, byStep: number, byRamp: number) => void,
): void {
  const count = values.length;
  const final = (1 - phi) / (1 - theta);
  const explained = (squares: number, byOnes: number, byValues: number): number =>
    (byValues - (byOnes * onesByValues) / onesSquared) ** 2 / (squares - byOnes ** 2 / onesSquared);

  const [stepByValues, stepByOnes] = [productsWithSteps(values, theta, final), productsWithSteps(ones, theta, final)];
  // Powers of theta; sums of theta^j and theta^2j for j from 1, and of squares of a step from 0, to any number of values.
  const [powers, powerSums] = [new Float64Array(count + 1).fill(1, 0, 1), new Float64Array(count + 1)];
  const [squaredPowerSums, stepSquares] = [new Float64Array(count + 1), new Float64Array(count + 1)];
  for (let length = 1; length <= count; length++) {
    const before = powers[length - 1] ?? 0;
    const power = before * theta;
    powers[length] = power;
    powerSums[length] = (powerSums[length - 1] ?? 0) + power;
    squaredPowerSums[length] = (squaredPowerSums[length - 1] ?? 0) + power ** 2;
    stepSquares[length] = (stepSquares[length - 1] ?? 0) + (final + (1 - final) * before) ** 2;
  }
  let [rampByValues, rampByOnes, risingSquares] = [0, 0, 0];
  for (let index = 1; index < count; index++) {
    const [byValues, byOnes] = [stepByValues[index] ?? 0, stepByOnes[index] ?? 0];
    rampByValues += byValues;
    rampByOnes += byOnes;
    // What whitening leaves of a ramp: a rise until `index`, then `risen` and the fading rest of the rise.
    const risen = final * index;
    const fading = ((1 - final) * (1 - (powers[index] ?? 0))) / (1 - theta);
    risingSquares += (risen + fading) ** 2;
    const after = count - 1 - index;
    const rampSquares =
      risingSquares +
      after * risen ** 2 +
      2 * risen * fading * (powerSums[after] ?? 0) +
      fading ** 2 * (squaredPowerSums[after] ?? 0);
    take(
      index,
      explained(stepSquares[count - index] ?? 0, byOnes, byValues),
      explained(rampSquares, rampByOnes, rampByValues),
    );
  }
}

/** Sums of the products of a whitened series with a whitened step at each index. */
function productsWithSteps(series: Float64Array, theta: number, final: number): Float64Array {
  const products = new Float64Array(series.length);
  let [sum, fading] = [0, 0];
  for (let index = series.length - 1; index > 0; index--) {
    sum += series[index] ?? 0;
    fading = (series[index] ?? 0) + theta * fading;
    products[index] = final * sum + (1 - final) * fading;
  }
  return products;
}
