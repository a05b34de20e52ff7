// What the dashboard takes in a browser, from fixtures, with the page as it is built and under its policy:
// the part `web` of `npm run bench`.

import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { buildWeb } from '../../deploy/buildWeb.ts';
import { spread } from '../../test/bench/spread.ts';
import { longSession } from '../fixtures/long.ts';
import { makeEvents } from '../fixtures/make.ts';
import { findChromium } from './findChromium.ts';
import type { SessionFixture } from './fixtures.ts';
import { newestOf } from './loadFixtures.ts';
import { serveSite } from './site.ts';

const SLOWED = 4;
/** 1.6 Mbit/s, in bytes. */
const NETWORK = { downloadThroughput: 200_000, uploadThroughput: 100_000, latency: 40, offline: false };
const EVENTS = 2_000;
const APPENDED = 20;
const PAUSE_MS = 100;
const LAST_ITERATION = EVENTS / 10 - 1;
/** Half an hour of an investigation with an event in three seconds, replayed in a minute. */
const REPLAYED = 600;
const REPLAY_MS = 60_000;
const COLLECTIONS = 3;

// Run in the page, as text: what this program's own build makes of a function may not run there.

// Usable: analysis and first steps are drawn, and the page answers. Whole: all steps are there.
const NOTE_USABLE = `
  const noteWhen = (name, count) => {
    const look = () => {
      if (document.querySelectorAll('[data-iteration]').length < count) return requestAnimationFrame(look);
      // Behind what is still to be drawn.
      return requestAnimationFrame(() => setTimeout(() => { window[name] = performance.now(); }));
    };
    requestAnimationFrame(look);
  };
  noteWhen('usableAt', 1);
  noteWhen('wholeAt', ${LAST_ITERATION + 1});
`;
const SCROLL_UP = 'scrollTo(0, document.body.scrollHeight / 2);';
const NOTE_SHIFT = `
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) window.shift += value;
  }).observe({ type: 'layout-shift' });
`;

/** Milliseconds, but for `nodes` and `shift`. */
interface WebTimes {
  /** Until something of the list is painted, on a slow processor and a slow network. */
  firstPaint: number[];
  /** Until the first of 2,000 events are drawn and the page answers, and until all are; slowed. */
  usable: number[];
  whole: number[];
  /** On the wire until then. */
  usableBytes: number;
  wholeBytes: number;
  nodes: number;
  unfoldedNodes: number;
  /** Script and layout of one event that is added to 2,000, on a processor that is not slowed. */
  appendScript: number;
  appendLayout: number;
  /** Layout shift (CLS) while they come and the reader looks elsewhere. */
  shift: number;
  /** The same while half an hour of events is replayed in a minute and the page follows. */
  followedShift: number;
  /** The heap in bytes after that, and of a page that is opened then. */
  followedHeap: Heap;
  freshHeap: Heap;
}

function print(times: WebTimes): void {
  const { firstPaint, usable, whole, nodes, unfoldedNodes, appendScript, appendLayout, shift } = times;
  const kB = (bytes: number) => `${Math.round(bytes / 1_000)} kB`;
  console.log(`  first paint of the list, 4x slowed, 1.6 Mbit/s   ${spread(firstPaint)}`);
  console.log(
    `  2,000 events until usable, slowed likewise       ${spread(usable)}, ${kB(times.usableBytes)}`,
  );
  console.log(`  and until all are there                          ${spread(whole)}, ${kB(times.wholeBytes)}`);
  console.log(`  their nodes, folded / unfolded                   ${nodes} / ${unfoldedNodes}`);
  console.log(
    `  an event added to them, script / layout          ${appendScript.toFixed(1)} / ${appendLayout.toFixed(1)}`,
  );
  console.log(`  layout shift while they come, reader elsewhere   ${shift.toFixed(4)}`);
  const { followedShift, followedHeap, freshHeap } = times;
  const MB = ({ all, code }: Heap) => `${(all / 1e6).toFixed(2)} (${(code / 1e6).toFixed(2)})`;
  console.log(`  layout shift over 1,800 s of events, followed    ${followedShift.toFixed(4)}`);
  console.log(`  heap after them / of a page opened then, MB`);
  console.log(`  (compiled code among it)                         ${MB(followedHeap)} / ${MB(freshHeap)}`);
}

/** Measures. @param path of chromium. */
async function measureWeb(path: string, runs: number): Promise<WebTimes> {
  await buildWeb(() => undefined, new AbortController().signal);
  const base = newestOf('crashloop');
  const ended = longSession(base, EVENTS);
  const running = asRunning(longSession(base, EVENTS));
  const browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'] });
  try {
    const [paints, opened]: [number[], Awaited<ReturnType<typeof usable>>[]] = [[], []];
    for (let run = 0; run < runs; run++) {
      paints.push(await firstPaint(browser, base));
      opened.push(await usable(browser, ended));
    }
    return {
      firstPaint: paints,
      usable: opened.map(({ usableMs }) => usableMs),
      whole: opened.map(({ wholeMs }) => wholeMs),
      usableBytes: Math.max(...opened.map(({ usableBytes }) => usableBytes)),
      wholeBytes: Math.max(...opened.map(({ wholeBytes }) => wholeBytes)),
      nodes: Math.max(...opened.map(({ nodes }) => nodes)),
      unfoldedNodes: Math.max(...opened.map(({ unfoldedNodes }) => unfoldedNodes)),
      ...(await append(browser, running)),
      ...(await replay(browser, base)),
    };
  } finally {
    await browser.close();
  }
}

async function onSite<T>(
  browser: Browser,
  session: SessionFixture,
  measure: (page: Page, site: Awaited<ReturnType<typeof serveSite>>, devTools: CDPSession) => Promise<T>,
): Promise<T> {
  const site = await serveSite({ sessions: [session] });
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  try {
    const page = await context.newPage();
    return await measure(page, site, await context.newCDPSession(page));
  } finally {
    await context.close();
    site.stop();
  }
}

/** Asked from outside: the policy of the page lets no text run within it. */
async function until(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(expression))) await page.waitForTimeout(PAUSE_MS);
}

/** Slows the network and the processor of a page. @returns the bytes that it received since. */
async function slow(devTools: CDPSession): Promise<() => number> {
  let bytes = 0;
  devTools.on('Network.dataReceived', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await devTools.send('Network.enable');
  await devTools.send('Network.emulateNetworkConditions', NETWORK);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  return () => bytes;
}

const firstPaint = (browser: Browser, session: SessionFixture) =>
  onSite(browser, session, async (page, { url }, devTools) => {
    await slow(devTools);
    await page.goto(url);
    const paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
    await until(page, `${paint} !== undefined`);
    return page.evaluate<number>(paint);
  });

const usable = (browser: Browser, session: SessionFixture) =>
  onSite(browser, session, async (page, { url }, devTools) => {
    const bytes = await slow(devTools);
    await page.addInitScript(NOTE_USABLE);
    await page.goto(`${url}/s/${session.session.sessionId}`);
    await until(page, 'window.usableAt !== undefined');
    const usableBytes = bytes();
    await until(page, 'window.wholeAt !== undefined');
    const wholeBytes = bytes();
    const countNodes = () => page.evaluate<number>("document.querySelectorAll('*').length");
    const nodes = await countNodes();
    await page.getByRole('button', { name: 'Unfold all' }).click();
    await page.evaluate("document.getElementById('steps').scrollIntoView()");
    await page.locator('#steps [data-row]').nth(10).waitFor();
    const [usableMs, wholeMs] = await page.evaluate<[number, number]>('[window.usableAt, window.wholeAt]');
    return { usableMs, wholeMs, usableBytes, wholeBytes, nodes, unfoldedNodes: await countNodes() };
  });

const append = (browser: Browser, session: SessionFixture) =>
  onSite(browser, session, async (page, { url, api }, devTools) => {
    const { sessionId } = session.session;
    await page.goto(`${url}/s/${sessionId}`);
    await until(page, `document.querySelectorAll('[data-iteration]').length > ${LAST_ITERATION}`);
    await page.evaluate(SCROLL_UP);
    // The rows there are drawn first.
    await page.waitForTimeout(10 * PAUSE_MS);
    await page.evaluate(NOTE_SHIFT);
    await devTools.send('Performance.enable');
    const metrics = async () => {
      const { metrics: read } = await devTools.send('Performance.getMetrics');
      const of = (name: string) => 1_000 * (read.find((metric) => metric.name === name)?.value ?? Number.NaN);
      return { script: of('ScriptDuration'), layout: of('LayoutDuration') };
    };
    // What is drawn by itself once a second is not counted for an event.
    const idle = await during(metrics, async () => page.waitForTimeout(APPENDED * PAUSE_MS));
    const busy = await during(metrics, async () => {
      for (const event of eventsAfter(session)) {
        await api.push(event);
        await page.waitForTimeout(PAUSE_MS);
      }
    });
    return {
      appendScript: (busy.script - idle.script) / APPENDED,
      appendLayout: (busy.layout - idle.layout) / APPENDED,
      shift: await page.evaluate<number>('window.shift'),
    };
  });

/** Replays events while the page follows, and compares its heap with a page opened later. */
function replay(browser: Browser, base: SessionFixture) {
  const whole = asRunning(longSession(base, 2 * REPLAYED));
  const started = { ...whole, events: whole.events.slice(0, REPLAYED) };
  return onSite(browser, started, async (page, { url, api }, devTools) => {
    const open = async (iterations: number) => {
      await page.goto(`${url}/s/${whole.session.sessionId}`);
      await until(page, `document.querySelectorAll('[data-iteration]').length >= ${iterations}`);
      await page.keyboard.press('End');
      await page.waitForTimeout(10 * PAUSE_MS);
    };
    await open(REPLAYED / 10);
    await page.evaluate(NOTE_SHIFT);
    for (const event of whole.events.slice(REPLAYED)) {
      await api.push(event);
      await page.waitForTimeout(REPLAY_MS / REPLAYED);
    }
    await until(page, `document.querySelectorAll('[data-iteration]').length >= ${REPLAYED / 5}`);
    const followedShift = await page.evaluate<number>('window.shift');
    const followedHeap = await heapOf(devTools);
    await open(REPLAYED / 5);
    return { followedShift, followedHeap, freshHeap: await heapOf(devTools) };
  });
}

/** The heap of a page after collections. */
interface Heap {
  /** All bytes that the engine counts. */
  all: number;
  /** With compiled code: the engine compiles what runs often, so a long-running page has more. */
  code: number;
}

async function heapOf(devTools: CDPSession): Promise<Heap> {
  let all = 0;
  // One collection leaves up to 0.9 MB that the next one takes, now and then.
  for (let n = 0; n < COLLECTIONS; n++) {
    await devTools.send('HeapProfiler.collectGarbage');
    all = (await devTools.send('Runtime.getHeapUsage')).usedSize;
  }
  let text = '';
  const add = ({ chunk }: { chunk: string }) => {
    text += chunk;
  };
  devTools.on('HeapProfiler.addHeapSnapshotChunk', add);
  await devTools.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  devTools.off('HeapProfiler.addHeapSnapshotChunk', add);
  const { snapshot, nodes } = JSON.parse(text) as {
    snapshot: { meta: { node_fields: string[]; node_types: [string[]] } };
    nodes: number[];
  };
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const isCode = types[0].indexOf('code');
  const size = fields.indexOf('self_size');
  let code = 0;
  for (let at = 0; at < nodes.length; at += fields.length)
    if (nodes[at] === isCode) code += nodes[at + size] ?? 0;
  return { all, code };
}

async function during(
  read: () => Promise<{ script: number; layout: number }>,
  act: () => Promise<void>,
): Promise<{ script: number; layout: number }> {
  const before = await read();
  await act();
  const after = await read();
  return { script: after.script - before.script, layout: after.layout - before.layout };
}

/** Thoughts of iterations that follow, one each. */
function eventsAfter({ session: { sessionId, createdAt: begin }, events }: SessionFixture) {
  const executionId = events[0]?.executionId ?? '';
  const drafts = Array.from({ length: EVENTS + APPENDED }, (_, index) => ({
    eventType: 'llm_thinking',
    content: `One more thought, ${index}.`,
    metadata: { source: 'native' },
    iteration: LAST_ITERATION + 1 + Math.max(0, index - EVENTS),
  }));
  return makeEvents({ sessionId, executionId, begin }, drafts).slice(EVENTS);
}

function asRunning(session: SessionFixture): SessionFixture {
  const active = { status: 'active' as const, endedAt: null };
  return {
    ...session,
    session: { ...session.session, status: 'in_progress', endedAt: null, finalAnalysis: null },
    stages: session.stages.map((one) => ({ ...one, ...active })),
    executions: session.executions.map((one) => ({ ...one, ...active })),
  };
}

const RUNS = 7;
const path = findChromium();
console.log('The dashboard in chromium, from fixtures; ms (min / median / max)');
if (path === undefined) console.log('  not measured: there is no chromium; install it, or set CHROMIUM');
else print(await measureWeb(path, RUNS));
