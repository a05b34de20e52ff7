// `why`: the fate of an alert, with the rule that decided it and the fix.

import { Argument } from 'commander';
import type { ParametersOf } from '../../../shared/client/routes.ts';
import type { ApiClient } from '../../api/apiClient.ts';
import { type Answer, jsonLine, plannedCommand, printLines } from '../../api/command.ts';
import { LAST } from '../../options/commandOptions.ts';
import { onOneLine, wrapLabelled } from '../../print/textTable.ts';
import { reportUnreadable } from '../../process/output.ts';

const ROUTE = 'GET /v1/alerts';
const MINUTE_MS = 60_000;
/** How far from a time alerts are looked for. */
const AROUND_MS = 10 * MINUTE_MS;
const MAX_SHOWN = 20;
/** Pages that are read for a title. Each has at most 2,000 alerts. */
const MAX_PAGES = 20;

const HELP = `
<alert> is the id of a message (\`send\` prints it), \`last\` for the newest alert, words of the title, or a time in ISO 8601
(2026-12-01T09:30Z), around which alerts of ten minutes are shown. Each alert is shown with its outcome, the rule and its line
in the configuration at that time, and the change that gives such alerts a different outcome:

  opened     it has a session                    dropped    a rule only counts it
  joined     it belongs to an earlier session    rejected   its message is no valid alert
  recorded   stored, and nothing starts it       refused    the API did not accept it
  deferred   its session waits

Fates are stored for 30 days. Exit code 1: no such alert arrived.
`;

type Page = Answer<typeof ROUTE>;
type Fate = Page['alerts'][number];

/** The command `why`. */
export const why = plannedCommand({
  name: 'why',
  args: [new Argument('<alert...>', 'id of a message, `last`, words of the title, or a time')],
  help: HELP,
  plan: ([words]: [string[]]) => ({
    async run({ api, options: { json } }) {
      const wanted = words.join(' ').trim();
      const fates = await findFates(wanted, api);
      const shown = fates.slice(0, MAX_SHOWN);
      const lines = shown.flatMap(fateLines).flatMap((line) => wrapLabelled(line, process.stdout.columns));
      printLines(json ? shown.map(jsonLine) : lines);
      if (fates.length > MAX_SHOWN && !json) printLines(`… only the newest ${MAX_SHOWN} are shown`);
      if (fates.length > 0) return;
      process.exitCode = 1;
      if (!json) printLines(absentLines(wanted, api.where));
    },
  }),
});

/** The newest fate, the fates of a message, else around a time, else with these words. */
async function findFates(asked: string, api: ApiClient): Promise<Fate[]> {
  if (asked === LAST) return (await readAlerts(api, 1, {})).slice(0, 1);
  if (!/\s/.test(asked) && asked.length <= 200) {
    const { alerts } = await readFatesPage(api, { message: asked });
    if (alerts.length > 0) return alerts;
  }
  const at = parseIsoTime(asked);
  if (at !== undefined) {
    const since = new Date(at.getTime() - AROUND_MS).toISOString();
    const until = new Date(at.getTime() + AROUND_MS).toISOString();
    return (await readFatesPage(api, { since, until, limit: MAX_SHOWN + 1 })).alerts;
  }
  return readAlerts(api, MAX_SHOWN + 1, { q: asked.slice(0, 200) });
}

/** At least `wanted` alerts, newest first, as far as there are so many on the pages that are read. */
async function readAlerts(api: ApiClient, wanted: number, query: { q?: string }): Promise<Fate[]> {
  const found: Fate[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES && found.length < wanted; page++) {
    const { alerts, next } = await readFatesPage(api, { ...query, limit: wanted, after });
    found.push(...alerts);
    if (next === null) break;
    after = next;
  }
  return found;
}

async function readFatesPage(api: ApiClient, query: ParametersOf<'GET /v1/alerts'>): Promise<Page> {
  const page = await api.get('/v1/alerts', query);
  page.unreadable.forEach(reportUnreadable);
  return page;
}

/** A time in ISO 8601; undefined for any other text. */
function parseIsoTime(text: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d\S*)?$/.test(text)) return undefined;
  const at = new Date(text.replace(' ', 'T'));
  return Number.isNaN(at.getTime()) ? undefined : at;
}

function fateLines(fate: Fate): string[] {
  const { title, at, outcome, by, subject, place, reason, sessionId, source, messageId, fix } = fate;
  const rule = by === 'rule' ? `rule ${subject}` : [by, subject].filter((one) => one !== null).join(' ');
  const where = place === null ? '' : ` (${place.file}:${place.line})`;
  return [
    `${at}  ${outcome}  ${onOneLine(title)}`,
    `  by       ${onOneLine(rule)}${where}`,
    `  because  ${onOneLine(reason)}`,
    ...(sessionId === null ? [] : [`  session  ${onOneLine(sessionId)}`]),
    ...(fix === null ? [] : [`  fix      ${onOneLine(fix)}`]),
    `  message  ${onOneLine(messageId)}${source === null ? '' : `, read as ${onOneLine(source)}`}`,
  ];
}

function absentLines(asked: string, where: string): string[] {
  return [
    `no alert of the last 30 days matches ${JSON.stringify(onOneLine(asked))} in ${where}`,
    '  It did not arrive, or it still waits in the topic. `inquest doctor` checks the way from the topic; then look at the',
    '  delivery log of the source. A webhook whose secret is wrong is only in the log of the API.',
  ];
}
