/** Where something must not be, in pixels of the page. */
interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface Text {
  box: Box;
  words: string;
  element: Element;
}

/** Fonts and zoom round to whole pixels. */
const tolerance = 1;

/**
 * What is wrong with the layout of the page as it is shown now, in a line each. Folded parts are not looked at: open them
 * first.
 */
export function layoutFindings(): string[] {
  const texts = shownTexts();
  return [
    ...[...tooWide(), ...clippedElements(), ...brokenNumbers()],
    ...[...outsideOfPicture(), ...outsideOfPage(texts), ...overlaps(texts)],
  ];
}

function tooWide(): string[] {
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth > clientWidth ? [`the page scrolls sideways: ${scrollWidth} px in ${clientWidth}`] : [];
}

/** Elements whose content is wider than they are, or cut off below, unless a reader can scroll it. */
function clippedElements(): string[] {
  return [...document.body.querySelectorAll<HTMLElement>('*')].flatMap((element) => {
    if (!(element instanceof HTMLElement) || !isShown(element) || isForListeners(element)) return [];
    const { display, overflowX, overflowY } = getComputedStyle(element);
    if (display.startsWith('inline') || display === 'contents') return [];
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
    const wide = scrollWidth > clientWidth + tolerance && !/auto|scroll/.test(overflowX) && clientWidth > 0;
    const high = scrollHeight > clientHeight + tolerance && /hidden|clip/.test(overflowY);
    return [
      ...(wide ? [`wider than its box (${scrollWidth} px in ${clientWidth}): ${pathOf(element)}`] : []),
      ...(high ? [`cut off below (${scrollHeight} px in ${clientHeight}): ${pathOf(element)}`] : []),
    ];
  });
}

/** A number that is not a part of a name. */
const number = /(?<![\w.,-])\d[\d.,]*\d(?![\w-])/g;

/** Numbers whose digits are on several lines. */
function brokenNumbers(): string[] {
  return shownNodes().flatMap(({ node, element }) =>
    [...(node.textContent ?? '').matchAll(number)].flatMap((found) => {
      const range = document.createRange();
      range.setStart(node, found.index);
      range.setEnd(node, found.index + found[0].length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      return lines.size > 1 ? [`a number on ${lines.size} lines: ${found[0]} ${pathOf(element)}`] : [];
    }),
  );
}

function outsideOfPicture(): string[] {
  return [...document.querySelectorAll('svg text')].filter(isShown).flatMap((text) => {
    const picture = text.closest('svg')?.getBoundingClientRect();
    const box = text.getBoundingClientRect();
    if (!picture || box.width === 0) return [];
    const sticksOut = {
      left: picture.left - box.left,
      right: box.right - picture.right,
      above: picture.top - box.top,
      below: box.bottom - picture.bottom,
    };
    return Object.entries(sticksOut)
      .filter(([, pixels]) => pixels > tolerance)
      .map(
        ([side, pixels]) =>
          `text leaves its picture by ${pixels.toFixed(0)} px ${side}: “${wordsOf(text)}” ${pathOf(text)}`,
      );
  });
}

function outsideOfPage(texts: readonly Text[]): string[] {
  const { clientWidth } = document.documentElement;
  return texts
    .filter(({ box }) => box.left < -tolerance || box.right > clientWidth + tolerance)
    .map(({ words, element }) => `text leaves the page: “${words}” ${pathOf(element)}`);
}

/** Every pair of texts that lie on each other, whatever they belong to. */
function overlaps(texts: readonly Text[]): string[] {
  const found: string[] = [];
  const sorted = texts.toSorted((a, b) => a.box.top - b.box.top);
  for (const [index, one] of sorted.entries()) {
    for (let next = index + 1; next < sorted.length; next++) {
      const other = sorted[next];
      if (!other || other.box.top >= one.box.bottom - tolerance) break;
      // Lines of one text are as close as the style sheet wants them.
      if (other.element === one.element) continue;
      const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const down = Math.min(one.box.bottom, other.box.bottom) - other.box.top;
      if (across <= tolerance || down <= tolerance) continue;
      found.push(
        `texts overlap by ${across.toFixed(0)} x ${down.toFixed(0)} px: “${one.words}” and “${other.words}” ${pathOf(one.element)}`,
      );
    }
  }
  return found;
}

/** Every line of text that can be seen, with the room that its letters take. */
function shownTexts(): Text[] {
  const found: Text[] = [];
  for (const { node, element, words } of shownNodes()) {
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = element.closest('svg') ? [element.getBoundingClientRect()] : [...range.getClientRects()];
    const window = element.closest('.scroll, nav')?.getBoundingClientRect();
    for (const rect of boxes) {
      const box = window ? within(lettersOf(rect), window) : lettersOf(rect);
      if (box.right - box.left > tolerance && box.bottom > box.top)
        found.push({ box, words: words.slice(0, 60), element });
    }
  }
  return found;
}

function shownNodes(): { node: Node; element: Element; words: string }[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found: { node: Node; element: Element; words: string }[] = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const element = node.parentElement;
    const words = (node.textContent ?? '').replace(/\s+/g, ' ').trim();
    if (element && words !== '' && isShown(element) && !isForListeners(element)) found.push({ node, element, words });
  }
  return found;
}

/** A line of text has room above and below its letters, which may lie on that of its neighbours. */
function lettersOf({ left, right, top, bottom }: DOMRect): Box {
  const room = (bottom - top) / 6;
  return { left, right, top: top + room, bottom: bottom - room };
}

function within(box: Box, window: DOMRect): Box {
  return {
    left: Math.max(box.left, window.left),
    right: Math.min(box.right, window.right),
    top: Math.max(box.top, window.top),
    bottom: Math.min(box.bottom, window.bottom),
  };
}

function isShown(element: Element): boolean {
  if (element.tagName === 'SCRIPT' || element.tagName === 'STYLE') return false;
  return element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
}

/** One pixel in size: only a screen reader reads it. */
function isForListeners(element: Element): boolean {
  for (let one: Element | null = element; one; one = one.parentElement) {
    if (one instanceof HTMLElement && one.clientWidth === 1 && one.clientHeight === 1) return true;
  }
  return false;
}

/** Enough to find an element: itself and what is around it, up to the nearest id. */
function pathOf(element: Element): string {
  const names: string[] = [];
  for (let one: Element | null = element; one && names.length < 5; one = one.parentElement) {
    const classes = [...one.classList].map((name) => `.${name}`).join('');
    names.unshift(`${one.tagName.toLowerCase()}${one.id === '' ? '' : `#${one.id}`}${classes}`);
    if (one.id !== '') break;
  }
  return names.join(' > ');
}

function wordsOf(element: Element): string {
  return element.textContent.trim().slice(0, 60);
}
