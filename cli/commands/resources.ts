// `resources`: shows which resource labels name, and what resources.yaml knows about it.

import type { Command } from 'commander';
import { placeLabels, placeText } from '../../shared/alerts/place.ts';
import { locateAlert } from '../../shared/alerts/resource.ts';
import { loadResources } from '../../shared/config/resources.ts';
import { configFolderOf } from '../../shared/environment.ts';
import { locatedLines, serviceLines } from '../alert/locatedText.ts';
import { printableText, write } from '../process/output.ts';
import { UsageError } from '../process/usageError.ts';

const HELP = `
Names the place, the canonical resource and the service of an alert with these labels, and the labels that decided. A resource
that no service of resources.yaml has, or more than one, is shown as not mapped. docs/resources.md has the form of names.
Exit codes: 0 shown, mapped or not; 1 resources.yaml has faults; 2 wrong usage.`;

/** Adds the command to the program. */
export function registerResources(program: Command): void {
  program
    .command('resources')
    .command('explain')
    .description('show the resource that labels name, and its service')
    .argument('<labels...>', 'labels of an alert, such as namespace=shop deployment=checkout')
    .option('--source <name>', 'the source of the alert, which decides what its labels mean', 'alertmanager')
    .option(
      '--config <folder>',
      'the configuration with resources.yaml (default: INQUEST_CONFIG, else config/)',
    )
    .option('--json', 'print the answer as a line of JSON')
    .addHelpText('after', HELP)
    .action(explainLabels);
}

const WIDTH = 11;

function explainLabels(
  given: string[],
  { source, config, json }: { source: string; config?: string; json?: boolean },
): void {
  const labels = Object.fromEntries(given.map(readLabel));
  const services = loadResources(config ?? configFolderOf(process.env));
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

function readLabel(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`${JSON.stringify(text)} is no label; write name=value`);
  return [text.slice(0, at), text.slice(at + 1)];
}
