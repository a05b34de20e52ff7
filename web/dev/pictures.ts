// Takes pictures of the dashboard in its states, from fixtures, at a fixed time: `npm run pictures`. They go
// into `.inquest/pictures`, for people to look at; with `--docs` those of the documentation go into
// `docs/images`. Names after it select pictures: `npm run pictures -- answer approval`.

import { mkdirSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { buildWeb } from '../../deploy/buildWeb.ts';
import { withPart } from '../../shared/core/schema/parts.ts';
import type { SessionChanges, SessionTopology } from '../../shared/lists/apiTypes.ts';
import { forkPart } from '../../shared/schema/forkPart.ts';
import { cancelledSession } from '../fixtures/cancelled.ts';
import { checkedSession } from '../fixtures/checked.ts';
import { everySession } from '../fixtures/every.ts';
import { failedSession } from '../fixtures/failed.ts';
import { limitedSession } from '../fixtures/limited.ts';
import { longSession } from '../fixtures/long.ts';
import { makeEvents } from '../fixtures/make.ts';
import { manySession } from '../fixtures/many.ts';
import { runningSession, writingSession } from '../fixtures/running.ts';
import { statusSessions } from '../fixtures/statuses.ts';
import { findChromium, findHeadlessShell } from './findChromium.ts';
import { documentsOf, renamed, type SessionFixture, shifted } from './fixtures.ts';
import { newestOf } from './loadFixtures.ts';
import { serveSite } from './site.ts';
import { smallPng } from './smallPng.ts';

/** The time of all pictures: that of the recordings, later on the same day. */
const NOW = Date.parse('2026-11-23T21:10:00.000Z');
const DESKTOP = 1440;
const PHONE = 390;
const HEIGHTS: Record<number, number> = { [DESKTOP]: 900, [PHONE]: 844, 1280: 800, 1100: 900, 320: 700 };
const IMAGES = new URL('../../docs/images/', import.meta.url);
const FOLDER = new URL('../../.inquest/pictures/', import.meta.url);

type Site = Awaited<ReturnType<typeof serveSite>>;

/** A picture. */
interface Picture {
  /** The sessions of the site; the first one is shown. */
  sessions: SessionFixture[];
  /** The address. Default: that of the first session. */
  address?: string;
  /** Widths in pixels. Default: a desktop and a phone. */
  widths?: number[];
  options?: BrowserContextOptions;
  /** Answers in place of the API's. Default: none. */
  answers?: Record<string, object>;
  /** What happens before the page is opened. */
  before?: (page: Page) => Promise<unknown>;
  /** What happens on the open page. */
  act?: (page: Page, site: Site, session: SessionFixture) => Promise<void>;
  /** The element of the picture. Default: the window; `page` for the whole page. */
  of?: string;
}

/** A session that was made relative to the clock of this machine, relative to the time of the pictures. */
const atNow = (session: SessionFixture) => shifted(session, NOW - Date.now());
const at = (iso: string, session: SessionFixture) =>
  shifted(session, Date.parse(iso) - session.session.createdAt.getTime());
const ended = at('2026-11-23T21:01:00.000Z', newestOf('crashloop'));
const parallel = at('2026-11-23T20:31:00.000Z', newestOf('synthesis'));
const running = atNow(runningSession(parallel));
const waiting = waitingSession();
const limited = limitedSession(parallel);
const failed = failedSession(ended);
const cancelled = cancelledSession(ended);
const long = longSession(ended, 2_000);
const TEN_MINUTES_AGO = new Date(NOW - 600_000).toISOString();
const HEALTH = {
  models: [{ code: 'MODEL_UNAVAILABLE', since: TEN_MINUTES_AGO, agents: 2 }],
  servers: [{ name: 'prometheus', agents: 1 }],
  lateSweep: { since: TEN_MINUTES_AGO, agents: 2, sessions: 0, messages: 0, checks: 0 },
};
const AWAY = { 'GET /v1/system': { pause: null, health: HEALTH, now: new Date(NOW) } };
const LISTED = [
  waiting,
  running,
  ended,
  at('2026-11-23T19:12:00.000Z', limited),
  at('2026-11-23T18:40:00.000Z', newestOf('research')),
  at('2026-11-23T16:05:00.000Z', failed),
];

const PICTURES: Record<string, Picture> = {
  answer: { sessions: [ended] },
  'answer-whole': { sessions: [ended], of: 'page' },
  'answer-hover': {
    sessions: [ended],
    widths: [DESKTOP],
    act: (page) => page.getByRole('button', { name: 'Ask', exact: true }).first().hover(),
  },
  ask: { sessions: [ended], address: addressOf(ended, '/ask') },
  limited: { sessions: [limited] },
  cancelled: { sessions: [cancelled], of: 'page' },
  failed: { sessions: [failed] },
  'failed-whole': { sessions: [failed], of: 'page' },
  approval: { sessions: [waiting] },
  dialog: {
    sessions: [waiting],
    act: (page) => page.getByRole('button', { name: /^Approve once/ }).click(),
  },
  'list-loading': {
    sessions: LISTED,
    address: '/',
    widths: [DESKTOP, PHONE, 320],
    before: (page) => page.route(/\/v1\/sessions\?/, () => {}),
    act: (page) => page.getByText('Loading …').waitFor(),
  },
  list: { sessions: LISTED, address: '/' },
  live: { sessions: [running], act: follow },
  'live-whole': { sessions: [running], of: 'page' },
  'live-analysis': {
    sessions: [running],
    act: (page, ...of) => follow(page).then(() => analyse(page, ...of)),
  },
  writing: { sessions: [atNow(writingSession(parallel))] },
  'long-loading': {
    sessions: [long],
    before: (page) => page.route('**/timeline?*after=*', () => {}),
    act: (page) => page.getByText(/^Loading: /).waitFor(),
  },
  many: { sessions: [manySession(parallel)], of: 'page' },
  'sub-agents': { sessions: [newestOf('team')], widths: [DESKTOP, 1100, PHONE], of: 'page' },
  every: { sessions: [everySession(ended)], of: 'page' },
  away: { sessions: LISTED, address: '/', answers: AWAY },
  unknown: { sessions: LISTED, address: '/zzz' },
  'no-session': { sessions: LISTED, address: '/s/nope' },
  new: { sessions: LISTED, address: '/new' },
  compare: {
    sessions: [ended, limited],
    address: `/compare?a=${ended.session.sessionId}&b=${limited.session.sessionId}`,
    of: 'page',
  },
  agents: { sessions: LISTED, address: '/agents/kubernetes-investigator' },
  knowledge: { sessions: LISTED, address: '/knowledge/card-authorisations-fail' },
  alerts: { sessions: LISTED, address: '/alerts' },
  errors: { sessions: LISTED, address: '/errors#MODEL_CREDENTIALS' },
  schedules: { sessions: [...LISTED, checkedSession(ended)], address: '/schedules' },
  check: { sessions: [checkedSession(ended)] },
  fork: { ...forkedSession(), of: '[aria-labelledby=fork-title]', act: openForkForm },
  rejected: { sessions: LISTED, address: '/rejected' },
  topology: { ...dependentSession(), of: '[aria-labelledby=topology-title]' },
  usage: { sessions: LISTED, address: '/usage', of: 'page' },
  system: { sessions: LISTED, address: '/system', of: 'page' },
};

/** The pictures of docs/images. */
const DOCS: Record<string, Picture> = {
  list: { sessions: LISTED, address: '/', widths: [1280] },
  session: { sessions: [ended], widths: [1280] },
  phone: { sessions: [ended], widths: [PHONE] },
  verdict: { sessions: [ended], widths: [1280], of: '#claims' },
  changes: { ...changedSession(), widths: [1280], of: '[aria-labelledby=changes-title]' },
  topology: { ...dependentSession(), widths: [1280], of: '[aria-labelledby=topology-title]' },
  approval: { sessions: [waiting], widths: [1280] },
  fork: { ...forkedSession(), widths: [1280], of: '[aria-labelledby=fork-title]' },
  usage: { sessions: LISTED, address: '/usage', widths: [1280] },
  running: {
    sessions: [atNow(writingSession(parallel))],
    widths: [1280],
    options: { colorScheme: 'dark' },
  },
  statuses: {
    sessions: statusSessions({ ended, waiting, running, limited, failed, cancelled }, NOW),
    address: '/',
    widths: [1280],
    of: 'main ol, main ul',
    act: async (page) => {
      await page.evaluate(() => {
        document.documentElement.style.filter = 'grayscale(1)';
      });
    },
  },
};

function addressOf({ session }: SessionFixture, rest = ''): string {
  return `/s/${session.sessionId}${rest}`;
}

/** A call waits for a person, for another quarter of an hour. */
function waitingSession(): SessionFixture {
  const session = at(new Date(NOW - 240_000).toISOString(), newestOf('approval-waits'));
  const until = new Date(NOW + 860_000);
  return { ...session, approvals: session.approvals.map((approval) => ({ ...approval, until })) };
}

/** The changes before the alert of the recorded session, as its deployment tool and its flags report them. */
function changedSession(): Pick<Picture, 'sessions' | 'answers'> {
  const { sessionId, createdAt: begin } = ended.session;
  const createdAt = begin.toISOString();
  const change = (minutes: number, more: Partial<SessionChanges['changes'][number]>) => {
    const at = new Date(begin.getTime() - minutes * 60_000).toISOString();
    return {
      ...{ id: `c-${minutes}`, title: 'Deployment of checkout 1.42.0', source: 'argocd', kind: 'deploy' },
      ...{ status: 'done', resource: 'k8s:shop-prod/shop/Deployment/checkout', actor: 'ci', url: null },
      ...{ before: '{"image":"checkout:1.41.3"}', after: '{"image":"checkout:1.42.0"}', count: 1 },
      ...{ at, receivedAt: at, rate: '9 changes of it in 14 days (0.6 a day)', late: false },
      ...{ relation: 'the same resource', when: `${minutes} min before`, ...more },
    };
  };
  const flag = { source: 'github', kind: 'flag', resource: 'flag:quote-cache', before: '{"on":false}' };
  const event = {
    eventType: 'notice',
    content: 'What changed: 2 changes.',
    metadata: { code: 'what_changed', subject: '2' },
  };
  const added = makeEvents({ sessionId, executionId: 'changes', begin }, [event]);
  const answer = {
    changes: [
      change(25, {}),
      change(190, {
        ...flag,
        title: 'Turned on the flag quote-cache',
        after: '{"on":true}',
        relation: 'the same service',
        rate: '1 change of it in 14 days',
      }),
    ],
    others: 3,
    isCut: false,
    resource: 'k8s:shop-prod/shop/Deployment/checkout',
    service: null,
    start: createdAt,
    sources: [
      { source: 'argocd', lastAt: createdAt },
      { source: 'github', lastAt: createdAt },
    ],
  };
  return {
    sessions: [{ ...ended, events: [...ended.events, ...added] }],
    answers: { [`GET /v1/sessions/${sessionId}/changes`]: answer },
  };
}

/** The place of the recorded session with dependencies, as earlier sessions learned them. */
function dependentSession(): Pick<Picture, 'sessions' | 'answers' | 'act'> {
  const { sessionId, createdAt } = ended.session;
  const place = ' shop shop-prod';
  const node = (name: string, step: number, fires = false): SessionTopology['nodes'][number] => ({
    id: `${name}${place}`,
    name,
    place: 'shop · shop-prod',
    step,
    firing: fires ? [{ sessionId, title: 'Pod is crash looping.' }] : [],
  });
  const edge = (from: string, to: string, by: 'file' | 'stated' | 'seen', sessions: number) => ({
    from: `${from}${place}`,
    to: `${to}${place}`,
    by,
    count: 2 * sessions,
    sessions,
    lastAt: createdAt.toISOString(),
    evidence: { sessionId, executionId: '01-kubernetes-investigator', event: 6, line: 41 },
  });
  const answer: SessionTopology = {
    resource: 'k8s:shop-prod/shop/Deployment/checkout',
    nodes: [
      node('storefront', -1),
      node('checkout', 0, true),
      ...[node('orders-db', 1), node('payments', 1, true), node('pricing', 1), node('ledger', 2)],
    ],
    edges: [
      edge('checkout', 'orders-db', 'file', 4),
      edge('storefront', 'checkout', 'stated', 7),
      edge('payments', 'ledger', 'stated', 3),
      edge('checkout', 'payments', 'seen', 5),
      edge('checkout', 'pricing', 'seen', 1),
      edge('storefront', 'payments', 'seen', 1),
    ],
    others: 0,
    isCut: false,
  };
  return {
    sessions: [ended],
    answers: { [`GET /v1/sessions/${sessionId}/topology`]: answer },
    act: async (page) => {
      const panel = page.locator('[aria-labelledby=topology-title]');
      await panel.getByRole('button', { name: 'Show' }).click();
      await panel.locator('svg[role=img]').waitFor();
    },
  };
}

/** A fork of the recorded session, which was told that nothing was rolled out. */
function forkedSession(): Pick<Picture, 'sessions' | 'answers'> {
  const { sessionId } = ended.session;
  const source = `${sessionId}-source`;
  const execution = '01-kubernetes-investigator';
  const fork = {
    ...{ of: source, executionId: execution, iteration: 3, event: `${execution}.11` },
    ...{ at: ended.session.createdAt, tools: 'recorded' as const, origins: [source] },
  };
  const verdict =
    'Confirmed. Pod checkout-7d9c6bf8d4-x2kqp, container checkout: last state OOMKilled at 09:36 UTC, 1 minute before the alert.';
  const open = 'No conclusion: no evidence proves a cause.';
  const side = { status: 'completed', analysis: null, notRecorded: 0 };
  const answer = {
    event: fork.event,
    tools: fork.tools,
    source: {
      ...side,
      ...{ sessionId: source, verdict, causes: ['memory of checkout (shop, shop-prod)'], calls: 5 },
      ...{ tokens: 34_574, usd: 0.0298 },
    },
    fork: {
      ...side,
      ...{ sessionId, verdict: open, causes: [], calls: 3, notRecorded: 1, tokens: 21_310, usd: 0.0187 },
    },
    first: {
      source: { event: `${execution}.13`, text: 'kubernetes.rollout_history {"deployment":"checkout"}' },
      fork: { event: `${execution}.3`, text: 'kubernetes.get_nodes {"pool":"default"}' },
    },
  };
  const session = withPart(forkPart, { ...ended.session, kind: 'fork' as const }, fork);
  return {
    sessions: [{ ...ended, session }],
    answers: { [`GET /v1/sessions/${sessionId}/fork`]: answer },
  };
}

async function openForkForm(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Fork this session …' }).click();
}

async function follow(page: Page): Promise<void> {
  await page.locator('#steps [data-row]').first().waitFor();
  await page.keyboard.press('End');
  await page.waitForTimeout(500);
}

/** The analysis comes while the page follows. */
async function analyse(_: Page, { api }: Site, { session: { sessionId } }: SessionFixture): Promise<void> {
  const { finalAnalysis, executiveSummary } = parallel.session;
  const whole = documentsOf(renamed(parallel, sessionId));
  const steps = whole.filter(({ path }) => /\/(stages|executions)\//.test(path));
  const endedAt = new Date(NOW);
  await api.change(sessionId, { status: 'completed', endedAt, finalAnalysis, executiveSummary }, steps);
}

async function take(browser: Browser, picture: Picture, width: number): Promise<Buffer> {
  const { sessions, answers = {}, options } = picture;
  const [session] = sessions;
  if (session === undefined) throw new Error('a picture needs a session');
  const site = await serveSite({ sessions }, { answers, now: () => new Date(NOW) });
  const context = await browser.newContext({
    viewport: { width, height: HEIGHTS[width] ?? 900 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...(width < 900 && { isMobile: true, hasTouch: true }),
    ...options,
  });
  try {
    const page = await context.newPage();
    await page.clock.setFixedTime(NOW);
    await picture.before?.(page);
    await page.goto(`${site.url}${picture.address ?? addressOf(session)}`);
    await page.locator('main h1').waitFor();
    await picture.act?.(page, site, session);
    // What is loaded later is drawn, and what follows an act.
    await page.waitForTimeout(1_000);
    const png = await (picture.of === undefined || picture.of === 'page'
      ? page.screenshot({ fullPage: picture.of === 'page' })
      : page.locator(picture.of).first().screenshot());
    return await smallPng(png, page);
  } finally {
    await context.close();
    site.stop();
  }
}

const program = new Command('pictures')
  .description('Takes pictures of the dashboard in its states, from fixtures, at a fixed time.')
  .argument('[names...]', 'of pictures; all by default')
  .option('--docs', 'those of the documentation, into docs/images')
  .showHelpAfterError()
  .parse();
const [{ docs = false }, names] = [program.opts<{ docs?: boolean }>(), program.args];
const path = findChromium() ?? findHeadlessShell();
if (path === undefined) throw new Error('there is no chromium; install it, or set CHROMIUM');
const chosen = docs ? DOCS : PICTURES;
const unknown = names.find((name) => !(name in chosen));
if (unknown !== undefined)
  throw new Error(`there is no picture ${unknown}: name one of ${Object.keys(chosen).join(', ')}`);
await buildWeb(() => undefined, new AbortController().signal);
const folder = docs ? IMAGES : FOLDER;
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'] });
for (const [name, picture] of Object.entries(chosen)) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (const width of picture.widths ?? [DESKTOP, PHONE]) {
    const file = docs ? `${name}.png` : `${name}-${width}.png`;
    const png = await take(browser, picture, width);
    writeFileSync(new URL(file, folder), png);
    console.log(`${file}: ${Math.round(png.length / 1_000)} kB`);
  }
}
await browser.close();
