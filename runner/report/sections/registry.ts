import { membersTables } from '../../metrics/catalogue.ts';
import { answerSection, answersSection } from './answer.ts';
import { checksSection } from './checks.ts';
import { changesByBlockSection, comparisonSection, notesSection, pairsSection } from './comparison.ts';
import { costsSection, worthSection } from './costs.ts';
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
import type { Section } from './section.ts';
import { settingsSection, sharedSettingsSection } from './settings.ts';
import { spreadSection } from './spread.ts';
import { statementsSection } from './statements.ts';
import { timeSection } from './time.ts';
import { stepsSection, trialsSection } from './trials.ts';
import { variantsSection } from './variants.ts';
import { waitsSection } from './waits.ts';
import { whySection, whyTablesSection } from './why.ts';
import { worseSection } from './worse.ts';

/**
 * Everything that a finished run reports, in the order in which a reader wants it: in the terminal, in report.md and in
 * report.html. A section with nothing to show is left out. To add one, write its file, and put it where it belongs. Tables of
 * things that a tool or a source has several of are defined with their metrics.
 */
export const sections: readonly Section[] = [
  answerSection,
  figuresSection,
  worseSection,
  worthSection,
  ladderSection,
  ladderPictureSection,
  changeSection,
  gravestSection,
  checkedSection,
  variantsSection,
  answersSection,
  costsSection,
  comparisonSection,
  changesByBlockSection,
  timeSection,
  whySection,
  repeatCommandSection,
  robustnessSection,
  overTimeSection,
  whyTablesSection,
  trialPicturesSection,
  pairsSection,
  spreadSection,
  settingsSection,
  plansSection,
  waitsSection,
  ...membersTables.map(membersSection),
  evidenceSection,
  statementsSection,
  absentSection,
  sharedSettingsSection,
  stepsSection,
  trialsSection,
  doubtsSection,
  checksSection,
  notesSection,
  repeatSection,
  attentionSection,
  methodSection,
];
