// `changes`: lists changes of resources, shows one, and shows how a message is read as changes.

import type { Command } from 'commander';
import { readChanges } from '../../shared/changes/readChange.ts';
import { loadMasking } from '../../shared/config/masking.ts';
import { configFolderOf } from '../../shared/environment.ts';
import { TerminalError } from '../../shared/errors.ts';
import { knownSecrets } from '../../shared/masking/knownSecrets.ts';
import { createMasker } from '../../shared/masking/masker.ts';
import type { Change } from '../../shared/schema/features/change.ts';
import { collectAttribute, readBytes } from '../alert/alertInput.ts';
import { withDates } from '../api/apiClient.ts';
import { withApi } from '../api/withApi.ts';
import { type TenantOptions, tenantCommand, wholeNumber } from '../options/commandOptions.ts';
import { DATABASE_HELP } from '../options/project.ts';
import { escapeHidden, printableText, write } from '../process/output.ts';
import { UsageError } from '../process/usageError.ts';

const HOUR_MS = 3_600_000;
/** As many hours as a list of the API covers. */
const MAX_HOURS = 335;
const MAX_ROWS = 200;

const HELP = `
Changes arrive on the topic \`changes\` (docs/changes.md). They are deleted after 30 days.
`;
const ADAPT_HELP = `
Reads the file as ingestChange does, and sends nothing: the adapter, and each change with its resource. Secrets are masked.
Exit codes: 0 read, also a message without a change; 2 wrong usage, or no adapter reads it.`;

type Shown = Omit<Change, 'tenantId' | 'key' | 'scopes' | 'rate' | 'expireAt'> & { id: string; rate: string };
interface Listed {
  changes: Shown[];
  more: number;
  isCut: boolean;
  sources: { source: string; lastAt: Date }[];
}
type ListOptions = TenantOptions & { resource?: string; kind?: string; hours: number; limit: number };

/** Adds the command to the program. */
export function registerChanges(program: Command): void {
  const changes = program.command('changes').addHelpText('after', HELP);
  tenantCommand(changes, 'list')
    .description('list changes, newest first')
    .option('--resource <name>', 'a canonical name, or the name of a workload, service, repository or flag')
    .option('--kind <kind>', 'deploy, config, flag, scale, iam, secret, schema, upgrade, provider or manual')
    .option('--hours <number>', 'how far back', wholeNumber(MAX_HOURS), 24)
    .option('--limit <number>', 'how many', wholeNumber(MAX_ROWS), 50)
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', `\n${DATABASE_HELP}`)
    .action(listChanges);
  tenantCommand(changes, 'show')
    .description('show one change')
    .argument('<change>', 'the id that list prints')
    .option('--json', 'print the change as a line of JSON')
    .addHelpText('after', `\n${DATABASE_HELP}`)
    .action(showChange);
  changes
    .command('adapt')
    .description('show how a message is read as changes')
    .argument('<file>', 'a message of any source; - is standard input')
    .option(
      '--attribute <name=value>',
      'an attribute of its message or a header of its webhook; repeatable',
      collectAttribute,
      {},
    )
    .option(
      '--config <folder>',
      'the configuration with masking.yaml (default: INQUEST_CONFIG, else config/)',
    )
    .option('--json', 'print the answer as a line of JSON')
    .addHelpText('after', ADAPT_HELP)
    .action(adaptChange);
}

async function listChanges({ resource, kind, hours, limit, json, ...options }: ListOptions): Promise<void> {
  await withApi(options, async (api) => {
    const since = new Date(Date.now() - hours * HOUR_MS).toISOString();
    const listed = withDates(await api.get('/v1/changes', { resource, kind, since, limit })) as Listed;
    for (const one of listed.changes) write(json ? escapeHidden(JSON.stringify(one)) : lineOf(one));
    if (json) return;
    if (listed.changes.length === 0) write(`no change in ${hours} hours`);
    if (listed.more > 0 || listed.isCut) write(`… ${listed.isCut ? 'at least ' : ''}${listed.more} more`);
    const sources = listed.sources.map(
      ({ source, lastAt }) => `${source} (newest event ${lastAt.toISOString()})`,
    );
    write(`sources: ${sources.join(', ') || 'none has sent a change within 30 days'}`);
  });
}

async function showChange(id: string, { json, ...options }: TenantOptions): Promise<void> {
  await withApi(options, async (api) => {
    const change = withDates(await api.get(`/v1/changes/${encodeURIComponent(id)}`)) as Shown;
    if (json) return write(escapeHidden(JSON.stringify(change)));
    factLines(change).forEach(write);
  });
}

const lineOf = ({ id, at, kind, status, resource, title }: Shown): string =>
  printableText(
    `${at.toISOString()}  ${kind.padEnd(8)} ${status === 'done' ? '' : `${status} `}${resource}  ${title}  ${id}`,
  );

function factLines({
  title,
  at,
  source,
  kind,
  status,
  resource,
  actor,
  before,
  after,
  url,
  rate,
  count,
}: Omit<Shown, 'id' | 'receivedAt'>): string[] {
  const facts: [string, string | null][] = [
    ['title', title],
    ['at', at.toISOString()],
    ['kind', kind],
    ['status', status],
    ['resource', resource],
    ['actor', actor],
    ['before', before],
    ['after', after],
    ['url', url],
    ['source', source],
    ['rate', rate || null],
    ['stands for', count > 1 ? `${count} changes of this hour` : null],
  ];
  return facts.flatMap(([name, value]) =>
    value === null ? [] : [printableText(`${name.padEnd(10)} ${value}`)],
  );
}

async function adaptChange(
  file: string,
  { attribute, config, json }: { attribute: Record<string, string>; config?: string; json?: boolean },
): Promise<void> {
  const rules = loadMasking(config ?? configFolderOf(process.env));
  const masker = createMasker({ known: knownSecrets(process.env), rules });
  const data = await readBytes(file, file === '-' ? 'standard input' : file);
  try {
    const reading = readChanges(data, masker, { attributes: attribute, receivedAt: new Date() });
    if (json) return write(escapeHidden(JSON.stringify(reading)));
    write(printableText(`read as    ${reading.source}: ${reading.reason}`));
    if (reading.ignored !== null) write(printableText(`no change  ${reading.ignored}`));
    for (const change of reading.changes) factLines({ ...change, rate: '', count: 1 }).forEach(write);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    throw new UsageError(`${error.code}: ${error.message}`);
  }
}
