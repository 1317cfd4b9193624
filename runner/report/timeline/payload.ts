/** What a figure brings for its readout: the page puts it there, and in-browser/timeline.ts reads it. */
export interface TimelinePayload {
  /** Seconds of each step of the clock. */
  step: number;
  steps: number;
  panels: PayloadPanel[];
  /** Trials whose lines are drawn, in the order of the attribute data-trial. */
  trials: { name: string; colour: string; why: string }[];
  /** How many of the trials that count had a checkpoint under way at each step; empty if none is known. */
  checkpoints: number[];
  countedTrials: number;
}

export interface PayloadPanel {
  title: string;
  unit: string;
  decimals: number;
  /** Steps of the clock that each value stands for. */
  every: number;
  /** Values are joined by commas, with nothing between two of them where none was measured: short, in any number. */
  lines: { name: string; colour: string; values: string }[];
}
