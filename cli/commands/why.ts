// `why`: the fate of an alert, with the rule that decided it and the fix.

import type { Command } from 'commander';
import type { AlertFate } from '../../shared/schema/features/alertFate.ts';
import type { Unreadable } from '../../shared/schema/readable.ts';
import { type ApiClient, withDates } from '../api/apiClient.ts';
import { withApi } from '../api/withApi.ts';
import { LAST, type TenantOptions, tenantCommand } from '../options/commandOptions.ts';
import { DATABASE_HELP } from '../options/project.ts';
import { onOneLine, wrapLabelled } from '../print/textTable.ts';
import { escapeHidden, reportUnreadable, write } from '../process/output.ts';

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

type Fate = Omit<AlertFate, 'tenantId' | 'expireAt'> & { id: string; fix: string | null };
type Page = { alerts: Fate[]; unreadable: Unreadable[]; next: string | null };

/** Adds the command to the program. */
export function registerWhy(program: Command): void {
  tenantCommand(program, 'why')
    .argument('<alert...>', 'id of a message, `last`, words of the title, or a time')
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(explainAlert);
}

async function explainAlert(words: string[], { json, ...options }: TenantOptions): Promise<void> {
  const wanted = words.join(' ').trim();
  await withApi(options, async (api) => {
    const fates = await findFates(wanted, api);
    for (const fate of fates.slice(0, MAX_SHOWN))
      if (json) write(escapeHidden(JSON.stringify(fate)));
      else
        for (const line of fateLines(fate))
          for (const one of wrapLabelled(line, process.stdout.columns)) write(one);
    if (fates.length > MAX_SHOWN && !json) write(`… only the newest ${MAX_SHOWN} are shown`);
    if (fates.length > 0) return;
    process.exitCode = 1;
    if (!json) absentLines(wanted, api.where).forEach(write);
  });
}

/** The newest fate, the fates of a message, else around a time, else with these words. */
async function findFates(asked: string, api: ApiClient): Promise<Fate[]> {
  if (asked === LAST) return (await readAlerts(api, 1, {})).slice(0, 1);
  if (!/\s/.test(asked) && asked.length <= 200) {
    const { alerts } = await readPage(api, { message: asked });
    if (alerts.length > 0) return alerts;
  }
  const at = timeOf(asked);
  if (at !== undefined) {
    const since = new Date(at.getTime() - AROUND_MS).toISOString();
    const until = new Date(at.getTime() + AROUND_MS).toISOString();
    return (await readPage(api, { since, until, limit: MAX_SHOWN + 1 })).alerts;
  }
  return readAlerts(api, MAX_SHOWN + 1, { q: asked.slice(0, 200) });
}

/** At least `wanted` alerts, newest first, as far as there are so many on the pages that are read. */
async function readAlerts(api: ApiClient, wanted: number, query: { q?: string }): Promise<Fate[]> {
  const found: Fate[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES && found.length < wanted; page++) {
    const { alerts, next } = await readPage(api, { ...query, limit: wanted, after });
    found.push(...alerts);
    if (next === null) break;
    after = next;
  }
  return found;
}

async function readPage(api: ApiClient, query: Parameters<ApiClient['get']>[1]): Promise<Page> {
  const page = withDates(await api.get('/v1/alerts', query)) as Page;
  page.unreadable.forEach(reportUnreadable);
  return page;
}

/** A time in ISO 8601; undefined for any other text. */
function timeOf(text: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d\S*)?$/.test(text)) return undefined;
  const at = new Date(text.replace(' ', 'T'));
  return Number.isNaN(at.getTime()) ? undefined : at;
}

function fateLines({
  title,
  at,
  outcome,
  by,
  subject,
  place,
  reason,
  sessionId,
  source,
  messageId,
  fix,
}: Fate) {
  const rule = by === 'rule' ? `rule ${subject}` : [by, subject].filter((one) => one !== null).join(' ');
  const where = place === null ? '' : ` (${place.file}:${place.line})`;
  return [
    `${at.toISOString()}  ${outcome}  ${onOneLine(title)}`,
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
