import { membersTables } from '../../metrics/catalogue.ts';
import { answerSection, answersSection } from './answer.ts';
import { checksSection } from './checks.ts';
import { changesByBlockSection, comparisonSection, notesSection, pairsSection } from './comparison.ts';
import { costsSection, worthSection, worthSentences } from './costs.ts';
import { attentionSection, checkedSection, doubtsSection, gravestSection } from './doubts.ts';
import { absentSection, evidenceSection } from './evidence.ts';
import { figuresSection } from './figures.ts';
import { ladderPictureSection, ladderSection } from './ladder.ts';
import { membersSection } from './members.ts';
import { methodSection } from './method.ts';
import { changeSection, overTimeSection, trialPicturesSection } from './pictures.ts';
import { plansSection } from './plans.ts';
import { repeatCommandSection, repeatSection } from './repeat.ts';
import { robustnessSection } from './robustness.ts';
import { everywhere, inTerminal, onFile, onPage, type PlacedSection } from './section.ts';
import { changedScriptsSection } from './scripts.ts';
import { settingsSection, sharedSettingsSection } from './settings.ts';
import { spreadSection } from './spread.ts';
import { statementsSection } from './statements.ts';
import { timeFitsCard, timeSection } from './time.ts';
import { stepsSection, trialsSection } from './trials.ts';
import { variantsSection } from './variants.ts';
import { waitsSection } from './waits.ts';
import { whySection, whyTablesSection } from './why.ts';
import { worseSection } from './worse.ts';

/**
 * Everything that a finished run reports, and where it stands, in the order in which a reader wants it. A terminal shows it in
 * this order; page and report.md first what is in the card, and then by depth. A section with nothing to show is left out. To add
 * one, write its file, and a line here. Tables of things that a tool or a source has several of are defined with their metrics.
 */
export const sections: readonly PlacedSection[] = [
  { ...answerSection, shownIn: everywhere, depth: 'card', navLabel: 'Answer' },
  { ...figuresSection, shownIn: onFile, depth: 'card' },
  { ...worseSection, shownIn: everywhere, depth: 'card' },
  {
    ...changedScriptsSection,
    shownIn: everywhere,
    depth: 'open',
    navLabel: 'Scripts',
  },
  {
    ...worthSection,
    shownIn: everywhere,
    depth: ({ result }) => (worthSentences(result.comparisons, result).length > 1 ? 'open' : 'card'),
  },
  { ...ladderSection, shownIn: everywhere, depth: 'open', navLabel: 'Levels' },
  { ...ladderPictureSection, shownIn: onFile, depth: 'card' },
  { ...changeSection, shownIn: onFile, depth: 'aside' },
  { ...gravestSection, shownIn: onFile, depth: 'aside', navLabel: 'Doubts' },
  { ...checkedSection, shownIn: onPage, depth: 'aside' },
  // One candidate at several levels stands in the picture of the change.
  {
    ...variantsSection,
    shownIn: everywhere,
    depth: ({ answers }) => (new Set(answers.map(({ candidate }) => candidate)).size > 1 ? 'card' : 'folded'),
  },
  { ...answersSection, shownIn: everywhere, depth: 'open' },
  { ...costsSection, shownIn: everywhere, depth: 'open', navLabel: 'Price' },
  { ...comparisonSection, shownIn: everywhere, depth: 'folded' },
  { ...changesByBlockSection, shownIn: inTerminal, depth: 'open' },
  {
    ...timeSection,
    shownIn: ['terminal', 'page'],
    depth: ({ result }) => (timeFitsCard(result.explanations ?? []) ? 'card' : 'open'),
  },
  { ...whySection, shownIn: everywhere, depth: 'open', isHalf: true, navLabel: 'Why' },
  { ...repeatCommandSection, shownIn: onFile, depth: 'aside' },
  { ...robustnessSection, shownIn: onFile, depth: 'open', isHalf: true, navLabel: 'Robustness' },
  { ...overTimeSection, shownIn: onPage, depth: 'open', navLabel: 'Over time' },
  { ...whyTablesSection, shownIn: onFile, depth: 'folded' },
  { ...trialPicturesSection, shownIn: onFile, depth: 'folded' },
  { ...pairsSection, shownIn: onFile, depth: 'folded' },
  { ...spreadSection, shownIn: onFile, depth: 'folded' },
  { ...settingsSection, shownIn: onFile, depth: 'open', navLabel: 'Settings' },
  { ...plansSection, shownIn: onFile, depth: 'open', navLabel: 'Plans' },
  { ...waitsSection, shownIn: everywhere, depth: 'folded' },
  ...membersTables.map((members): PlacedSection => ({
    ...membersSection(members),
    shownIn: members.inTerminal ? everywhere : onFile,
    depth: 'folded',
  })),
  { ...evidenceSection, shownIn: onFile, depth: 'folded' },
  { ...statementsSection, shownIn: onFile, depth: 'folded' },
  { ...absentSection, shownIn: onFile, depth: 'folded' },
  { ...sharedSettingsSection, shownIn: onFile, depth: 'folded' },
  { ...stepsSection, shownIn: onFile, depth: 'folded' },
  {
    ...trialsSection,
    shownIn: onFile,
    depth: ({ isUnderWay }) => (isUnderWay ? 'open' : 'folded'),
    navLabel: 'Trials',
  },
  { ...doubtsSection, shownIn: onFile, depth: 'folded' },
  { ...checksSection, shownIn: onFile, depth: 'folded', navLabel: 'Checks' },
  { ...notesSection, shownIn: inTerminal, depth: 'open' },
  { ...repeatSection, shownIn: onFile, depth: 'folded', navLabel: 'Repeat' },
  { ...attentionSection, shownIn: inTerminal, depth: 'open' },
  { ...methodSection, shownIn: everywhere, depth: 'folded' },
];
