import type { OpenedResult } from '../../analysis/open-result.ts';
import { type RunStatus, withoutFigures } from '../../contract/status.ts';
import { renderPage } from '../html/page.ts';
import { doingWords, timeWords } from '../terminal/status-text.ts';
import { frame, framePolicy, trialsPage } from './frame.ts';
import { progressBar } from './progress-bar.ts';
import { type LiveServer, serveLive } from './server.ts';
import { reportedUnderWay } from './in-progress.ts';
import { type KeptRun, nothingKept } from '../../storage/kept-run.ts';
import type { SeriesSource } from '../../storage/series.ts';
import { capitalise } from '../../contract/format.ts';
import { type Reported, reported } from '../reported.ts';

const hiddenBy = {
  stopping:
    'Figures stay hidden until the run ends. It may stop early, at looks fixed in advance (protocol.until). Seeing figures before that could influence when to stop.',
  blind: 'Figures stay hidden until the run ends (--blind).',
};

type EndedResult = OpenedResult & Pick<KeptRun, 'location'>;

export interface LiveOptions {
  /** What the run asks; null if only its report says. */
  question: string | null;
  /** Hides the figures of any run. Those of a run that may stop early are always hidden. */
  blind: boolean;
  /** When the first report comes: a sentence. */
  firstReport: string;
}

/**
 * The page of a run that is under way. Making the report of the trials takes processor time, so the caller chooses the
 * moment; all else is a few words.
 */
export class LivePage {
  readonly #server: LiveServer;
  readonly #how: LiveOptions;
  #hidden: string | null = null;
  #status: RunStatus | null = null;
  #hasReport = false;
  #shown: string | null = null;
  #ended: Promise<void> | null = null;

  private constructor(server: LiveServer, how: LiveOptions) {
    this.#server = server;
    this.#how = how;
  }

  static async open(how: LiveOptions): Promise<LivePage> {
    return new LivePage(await serveLive(frame, framePolicy), how);
  }

  get address(): string {
    return this.#server.address;
  }

  /** Whether making a report has a reader: a page is open, and may show figures. */
  get takesReports(): boolean {
    return this.#hidden === null && this.#server.isWatched();
  }

  /** Shows how far the run has come. */
  show(status: RunStatus, now: Date): void {
    this.#status = status;
    this.#hidden = this.#how.blind ? hiddenBy.blind : status.mayStopEarly ? hiddenBy.stopping : null;
    const shown = this.#hidden === null ? status : withoutFigures(status);
    const words = {
      doing: capitalise(doingWords(shown).join(' · ')),
      time: timeWords(shown, now).join(' · '),
      title: `${shown.trials.length} of ${shown.plannedTrials} trials: ${shown.experiment}`,
    };
    this.#server.send('progress', progressBar(words, shown));
    if (this.#hasReport) return;
    const page = trialsPage(shown, { question: this.#how.question, note: this.#hidden ?? this.#how.firstReport });
    if (page !== this.#shown) this.#server.send('page', page);
    this.#shown = page;
  }

  /** Makes the report of the trials so far, without verdicts, and shows it. */
  async report({ result, series }: OpenedResult): Promise<void> {
    if (this.#hidden === null) await this.#render(reportedUnderWay(result, this.#status?.plannedTrials ?? 0), series);
  }

  /**
   * Shows how the run ended, and ends the server. Only the first call counts.
   *
   * @param result of a run that has ended, and its location as commands name it; null if none may be shown
   */
  end(words: string, result: EndedResult | null): Promise<void> {
    return (this.#ended ??= this.#end(words, result));
  }

  async #end(words: string, ended: EndedResult | null): Promise<void> {
    try {
      if (ended && this.#server.isWatched()) {
        const { result, series, location } = ended;
        await this.#render(reported(result, { ...nothingKept, location }), series);
      }
      this.#server.send('progress', progressBar({ doing: words, time: '' }, this.#status));
      this.#server.send('end', '');
    } finally {
      await this.#server.close();
    }
  }

  async #render(of: Reported, series: SeriesSource): Promise<void> {
    this.#server.send('page', await renderPage(of, series));
    this.#hasReport = true;
  }
}
