// Keeps the rows on the screen in their place while the page around them changes.

const BAR_PX = 48;

/** Places across the steps where rows of one, two or three lanes stand. */
const ACROSS = [0.25, 0.5, 0.75, 0.15, 0.85];
/** Visible rows that are measured: a change can remove some of them. */
const MEASURED = 6;

/**
 * Rows, and headings of iterations: of a long session, only these are drawn where a reader has just jumped
 * to. On a narrow screen the panels of facts stand below the rows.
 */
const ROW = '[data-row], [data-iteration], #facts section';

/** Nearer to the top of the page than this, its head is on the screen. */
const HEAD_PX = 80;
/** The analysis, and calls that need approval: both stand at the top of the page. */
const NEWS = '#analysis-title, [data-approval] h2';

const findNewRows = () => [...document.querySelectorAll(NEWS)];

/** The row in focus or under the pointer. */
const lookedAt = () =>
  document.querySelector('[data-row]:focus-within') ?? document.querySelector('[data-row]:hover');

/** Whether a reader is at the top of the page, and looks at no row. */
function isAtTop(): boolean {
  return scrollY < HEAD_PX && lookedAt() === null && getSelection()?.isCollapsed !== false;
}

/** The row in focus or under the pointer, then the topmost visible ones. */
function visibleRows(): Element[] {
  const rows = new Set<Element>();
  const looked = lookedAt();
  if (looked !== null) {
    const { top, bottom } = looked.getBoundingClientRect();
    if (bottom > BAR_PX && top < innerHeight) rows.add(looked);
  }
  const steps = document.getElementById('steps')?.getBoundingClientRect();
  if (steps === undefined) return [...rows];
  // Nothing above the steps is a row.
  for (let y = Math.max(BAR_PX + 2, steps.top); y < innerHeight && rows.size < MEASURED; y += 24)
    for (const part of ACROSS) {
      const element = document.elementFromPoint(steps.left + part * steps.width, y)?.closest(ROW);
      if (element) rows.add(element);
    }
  return [...rows];
}

/** More empty space would hide the steps from a reader who followed to the end. */
const MAX_EMPTY_PX = 160;

/** Adds empty space to the end of the page. @returns all the space that was added. */
function lengthen(px: number): number {
  const main = document.getElementById('main');
  if (main === null) return 0;
  const added = (Number.parseFloat(main.style.paddingBottom) || 0) + px;
  main.style.paddingBottom = `${added}px`;
  return added;
}

/** Scrolls a reader at the end of the page back to its rows. The rows move with the page, not on it. */
function showEnd(): void {
  const excess = lengthen(0) - MAX_EMPTY_PX;
  if (excess <= 0) return;
  scrollBy({ top: -excess, behavior: 'instant' });
  lengthen(-excess);
}

/** Facts that become shorter would move: they stick to the screen by their end. */
function holdFacts(): void {
  const facts = document.getElementById('facts');
  if (facts !== null) facts.style.minHeight = `${facts.offsetHeight}px`;
}

/** Removes the added space. */
export function removeAddedSpace(): void {
  document.getElementById('main')?.style.removeProperty('padding-bottom');
}

/** Elements whose place on the screen is kept until the next frame. */
interface Anchors {
  rows: { element: Element; top: number }[];
  /** Whether the reader follows at the end of the page. */
  follows: boolean;
  /** The last row of a page that follows, while the session runs. */
  last: { element: Element; top: number } | undefined;
  /** The news so far, for a reader at the top of the page: any others are shown to this reader. */
  newsAtTop: readonly Element[] | undefined;
}

const measured = (element: Element) => ({ element, top: element.getBoundingClientRect().top });

/**
 * Keeps places. All changes before a frame are corrected together.
 * @param onNews An analysis or approval came to the top of the page, where the reader is. Rows below it have
 * moved.
 */
export function createScrollAnchor(onNews: () => void) {
  let anchors: Anchors | undefined;
  let frame = 0;

  const correct = () => {
    if (anchors === undefined) return;
    const { last, rows, newsAtTop } = anchors;
    if (newsAtTop !== undefined && findNewRows().some((one) => !newsAtTop.includes(one))) {
      onNews();
      return;
    }
    const follows = last?.element.isConnected === true;
    const kept = follows ? last : rows.find(({ element }) => element.isConnected);
    if (kept === undefined) return;
    const moved = measured(kept.element).top - kept.top;
    if (Math.abs(moved) <= 0.4) return;
    const from = scrollY;
    scrollBy({ top: moved, behavior: 'instant' });
    const missing = moved - (scrollY - from);
    if (missing <= 0.4 || follows) return;
    // The page became shorter below the reader.
    lengthen(missing);
    scrollBy({ top: missing, behavior: 'instant' });
  };
  const inFrame = () => {
    frame = 0;
    correct();
    const isAtEnd = anchors?.follows === true && anchors.last?.element.isConnected !== true;
    anchors = undefined;
    if (isAtEnd) requestAnimationFrame(showEnd);
  };
  return {
    /** @param follows Whether the last row keeps its place as long as it exists, and the others move up. */
    keep(change: () => void, follows: boolean): void {
      const last = follows ? document.querySelector('[data-now-row]') : null;
      anchors ??= {
        rows: visibleRows().map(measured),
        follows,
        last: last === null ? undefined : measured(last),
        newsAtTop: isAtTop() ? findNewRows() : undefined,
      };
      if (follows) holdFacts();
      change();
      // The change renders in a microtask; layout effects can render again before the frame.
      void Promise.resolve()
        .then(() => Promise.resolve())
        .then(() => Promise.resolve())
        .then(correct);
      if (frame === 0) frame = requestAnimationFrame(inFrame);
    },
  };
}
