import { membersTables } from '../../metrics/catalogue.ts';
import { answersSection } from './answer.ts';
import { checksSection } from './checks.ts';
import { changesByBlockSection, comparisonSection, notesSection, pairsSection } from './comparison.ts';
import { costsSection, worthSection } from './costs.ts';
import { doubtsSection } from './doubts.ts';
import { absentSection, evidenceSection } from './evidence.ts';
import { ladderSection } from './ladder.ts';
import { membersSection } from './members.ts';
import { methodSection } from './method.ts';
import { changeSection, overTimeSection, trialPicturesSection } from './pictures.ts';
import { plansSection } from './plans.ts';
import { repeatSection } from './repeat.ts';
import { robustnessSection } from './robustness.ts';
import { everywhere, inTerminal, onFile, onPage, type PlacedSection } from './section.ts';
import { changedScriptsSection } from './scripts.ts';
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
 * Everything that a finished run reports below its first screen (report/first-screen/), in the order in which a reader wants it: on
 * page and in report.md a closed row for each. A section with nothing to show is left out. To add one, write
 * its file, and a line here. Tables of things that a tool or a source has several of are defined with their metrics.
 */
export const sections: readonly PlacedSection[] = [
  { ...answersSection, shownIn: everywhere },
  { ...changedScriptsSection, shownIn: everywhere },
  { ...variantsSection, shownIn: everywhere },
  { ...comparisonSection, shownIn: everywhere },
  { ...worseSection, shownIn: everywhere },
  { ...worthSection, shownIn: everywhere },
  { ...costsSection, shownIn: everywhere },
  { ...ladderSection, shownIn: everywhere },
  { ...changeSection, shownIn: onFile },
  { ...changesByBlockSection, shownIn: inTerminal },
  { ...pairsSection, shownIn: onFile },
  { ...timeSection, shownIn: onPage },
  { ...whySection, shownIn: everywhere },
  { ...whyTablesSection, shownIn: onFile },
  { ...robustnessSection, shownIn: onFile },
  { ...overTimeSection, shownIn: onPage },
  { ...trialPicturesSection, shownIn: onFile },
  { ...spreadSection, shownIn: onFile },
  { ...settingsSection, shownIn: onFile },
  { ...sharedSettingsSection, shownIn: onFile },
  { ...plansSection, shownIn: onFile },
  { ...waitsSection, shownIn: everywhere },
  ...membersTables.map((members): PlacedSection => ({
    ...membersSection(members),
    shownIn: members.inTerminal ? everywhere : onFile,
  })),
  { ...evidenceSection, shownIn: onFile },
  { ...statementsSection, shownIn: onFile },
  { ...absentSection, shownIn: onFile },
  { ...stepsSection, shownIn: onFile },
  { ...trialsSection, shownIn: onFile, isOpen: ({ isUnderWay = false }) => isUnderWay },
  { ...doubtsSection, shownIn: onFile },
  { ...checksSection, shownIn: onFile },
  { ...notesSection, shownIn: inTerminal },
  { ...methodSection, shownIn: everywhere },
  { ...repeatSection, shownIn: onFile },
];
