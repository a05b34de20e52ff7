// `resources`: shows which resource labels name, and what resources.yaml knows about it.

import type { Command } from 'commander';
import { placeLabels, placeText } from '../../shared/alerts/alertLocation.ts';
import { locateAlert } from '../../shared/alerts/resource.ts';
import { loadResources } from '../../shared/config/resources.ts';
import { readConfigFolder } from '../../shared/environment.ts';
import { locatedLines, serviceLines } from '../alert/locatedText.ts';
import { readState } from '../api/sessions.ts';
import { withApi } from '../api/withApi.ts';
import { type TenantOptions, tenantOption, urlOption } from '../options/commandOptions.ts';
import { printableText, write } from '../process/output.ts';
import { UsageError } from '../process/usageError.ts';

const HELP = `
Names the place, the canonical resource and the service of an alert with these labels, or of the alert of a session, and the
labels that decided. A resource
that no service of resources.yaml has, or more than one, is shown as not mapped. docs/resources.md has the form of names.
Exit codes: 0 shown, mapped or not; 1 resources.yaml has faults; 2 wrong usage.`;

/** Adds the command to the program. */
export function registerResources(program: Command): void {
  program
    .command('resources')
    .command('explain')
    .description('show the resource that labels name, and its service')
    .argument(
      '<labels...>',
      'labels of an alert, such as namespace=shop deployment=checkout; or a session, or `last`',
    )
    .option(
      '--source <name>',
      'the source of the labels, which decides what they mean (default: alertmanager, or that of the session)',
    )
    .addOption(tenantOption())
    .addOption(urlOption())
    .option(
      '--config <folder>',
      'the configuration with resources.yaml (default: INQUEST_CONFIG, else config/)',
    )
    .option('--json', 'print the answer as a line of JSON')
    .addHelpText('after', HELP)
    .action(explainLabels);
}

const WIDTH = 11;

interface Options extends TenantOptions {
  source?: string;
  config?: string;
}

async function explainLabels(given: string[], options: Options): Promise<void> {
  const { config, json } = options;
  const { source, labels } = await parseLabelOptions(given, options);
  const services = loadResources(config ?? readConfigFolder(process.env));
  const located = locateAlert({ source, labels }, services);
  const { place, service } = located;
  if (json) {
    write(JSON.stringify({ ...located, entry: service === null ? null : (services[service] ?? null) }));
    return;
  }
  const from = Object.values(placeLabels({ source, labels })).flatMap((label) =>
    label === null ? [] : [`${label.name}=${label.value}`],
  );
  const lines = [
    `${'place'.padEnd(WIDTH)} ${printableText(placeText(place)) || 'none'}`,
    ...locatedLines(located, WIDTH),
    `${'from'.padEnd(WIDTH)} ${printableText([...new Set(from)].join(', ')) || 'no label'}`,
    ...(service === null ? [] : serviceLines(services, service, WIDTH)),
  ];
  write(lines.join('\n'));
}

/** The given labels, or those of a session's alert. @throws UsageError for one without alert. */
async function parseLabelOptions(
  given: string[],
  options: Options,
): Promise<{ source: string; labels: Record<string, string> }> {
  const [session = '', ...others] = given;
  if (others.length > 0 || session.includes('='))
    return { source: options.source ?? 'alertmanager', labels: Object.fromEntries(given.map(readLabel)) };
  const { alert } = await withApi(options, async (api) => readState(api, await api.findSession(session)));
  if (alert === null) throw new UsageError(`${printableText(session)} has no alert; give labels`);
  return { source: options.source ?? alert.source, labels: alert.labels };
}

function readLabel(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`${JSON.stringify(text)} is no label; write name=value`);
  return [text.slice(0, at), text.slice(at + 1)];
}
