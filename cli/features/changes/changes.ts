// `changes`: lists changes of resources, shows one, and shows how a message is read as changes.

import { Argument, type Command, Option } from 'commander';
import { readChanges } from '../../../shared/changes/readChange.ts';
import { loadMasking } from '../../../shared/config/masking.ts';
import { TerminalError } from '../../../shared/core/errors.ts';
import { readConfigFolder } from '../../../shared/environment.ts';
import { CHANGE_ROUTES } from '../../../shared/features/changes/routes.ts';
import { knownSecrets } from '../../../shared/masking/knownSecrets.ts';
import { createMasker } from '../../../shared/masking/masker.ts';
import { readBytes } from '../../alert/alertInput.ts';
import { type Answer, type Call, command, groupCommand, jsonLine, linesOr } from '../../api/command.ts';
import { attributeOption } from '../../options/attributeOption.ts';
import { wholeNumber } from '../../options/commandOptions.ts';
import { pageOptions, parameterOption } from '../../options/parameterOption.ts';
import { printableText, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const HOUR_MS = 3_600_000;
/** As many hours as a list of the API covers. */
const MAX_HOURS = 335;
const LIST = 'GET /v1/changes';
const SHOW = 'GET /v1/changes/{changeId}';

const HELP = `
Changes arrive on the topic \`changes\` (shared/features/changes/README.md). They are deleted after 30 days.
`;
const ADAPT_HELP = `
Reads the file as ingestChange does, and sends nothing: the adapter, and each change with its resource. Secrets are masked.
Exit codes: 0 read, also a message without a change; 2 wrong usage, or no adapter reads it.`;

/** The command `changes`. */
export const changes = groupCommand('changes', HELP, [
  command({
    name: 'list',
    description: 'list changes, newest first',
    options: [
      parameterOption(CHANGE_ROUTES, LIST, 'resource', '--resource <name>'),
      parameterOption(CHANGE_ROUTES, LIST, 'kind', '--kind <kind>'),
      new Option('--hours <number>', 'how far back').argParser(wholeNumber(MAX_HOURS)).default(24),
      ...pageOptions(50),
    ],
    help: '\n',
    route: LIST,
    send: ({ options }) => ({
      since: new Date(Date.now() - Number(options.hours) * HOUR_MS).toISOString(),
    }),
    pages: 'changes',
    items: 'changes',
    print: listLines,
  }),
  command({
    name: 'show',
    description: 'show one change',
    args: [new Argument('<change>', 'the id that list prints')],
    json: 'print the change as a line of JSON',
    help: '\n',
    route: SHOW,
    print: factLines,
  }),
  addAdapt,
]);

function addAdapt(changes: Command): void {
  changes
    .command('adapt')
    .description('show how a message is read as changes')
    .argument('<file>', 'a message of any source; - is standard input')
    .addOption(attributeOption())
    .option(
      '--config <folder>',
      'the configuration with masking.yaml (default: INQUEST_CONFIG, else config/)',
    )
    .option('--json', 'print the answer as a line of JSON')
    .addHelpText('after', ADAPT_HELP)
    .action(adaptChange);
}

function listLines({ changes, sources }: Answer<typeof LIST>, { options }: Call): string[] {
  const sent = sources.map(({ source, lastAt }) => `${source} (newest event ${lastAt})`);
  return [
    ...linesOr(changes.map(formatChangeLine), `no change in ${options.hours} hours`),
    `sources: ${sent.join(', ') || 'none has sent a change within 30 days'}`,
  ];
}

type Change = Answer<typeof SHOW>;

const formatChangeLine = ({ id, at, kind, status, resource, title }: Change): string =>
  printableText(
    `${at}  ${kind.padEnd(8)} ${status === 'done' ? '' : `${status} `}${resource}  ${title}  ${id}`,
  );

type Facts = Omit<Change, 'id' | 'receivedAt'>;

function factLines(change: Facts): string[] {
  const { count, rate } = change;
  const facts = {
    title: change.title,
    at: change.at,
    kind: change.kind,
    status: change.status,
    resource: change.resource,
    actor: change.actor,
    before: change.before,
    after: change.after,
    url: change.url,
    source: change.source,
    rate: rate || null,
    'stands for': count > 1 ? `${count} changes of this hour` : null,
  };
  return Object.entries(facts).flatMap(([name, value]) =>
    value === null ? [] : [printableText(`${name.padEnd(10)} ${value}`)],
  );
}

async function adaptChange(
  file: string,
  { attribute, config, json }: { attribute: Record<string, string>; config?: string; json?: boolean },
): Promise<void> {
  const rules = loadMasking(config ?? readConfigFolder(process.env));
  const masker = createMasker({ known: knownSecrets(process.env), rules });
  const data = await readBytes(file, file === '-' ? 'standard input' : file);
  try {
    const reading = readChanges(data, masker, { attributes: attribute, receivedAt: new Date() });
    if (json) return write(jsonLine(reading));
    write(printableText(`read as    ${reading.source}: ${reading.reason}`));
    if (reading.ignored !== null) write(printableText(`no change  ${reading.ignored}`));
    for (const change of reading.changes)
      factLines({ ...change, at: change.at.toISOString(), rate: '', count: 1 }).forEach(write);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    throw new UsageError(`${error.code}: ${error.message}`);
  }
}
