// `adapt`: shows how an alert is read, and why, without sending it.

import type { Command } from 'commander';
import type { FactName } from '../../../shared/alerts/adapter.ts';
import type { ReadingTrace } from '../../../shared/alerts/index.ts';
import { loadTriage } from '../../../shared/config/load.ts';
import { type TriageDecision, triageAlert } from '../../../shared/config/triage.ts';
import { configFolderOf } from '../../../shared/environment.ts';
import { visible } from '../../../shared/text/visible.ts';
import { type AlertInput, readAlertInput } from '../../alert/alertInput.ts';
import { ALERT_FILE, collectAttribute } from '../../alert/alertOptions.ts';
import { isInvestigatedBy, readTime, triageJson, triageLines } from '../../alert/triageText.ts';
import { printable } from '../../print/printer.ts';

const HELP = `
Reads the alert as ingestAlert does, and sends nothing. Prints the adapter and how it recognised the alert, the envelopes
that were removed (Pub/Sub, CloudEvents, SNS, SQS, HTTP requests, base64, JSON in text), and the source of each field in the
payload. Secrets are masked. docs/alerts.md lists the known sources. Then prints the decision of triage.yaml at the current
time, or at --at: the rule that matches, and why earlier rules do not. Without triage.yaml the built-in rules apply.
Exit codes: 0 the file holds an alert, of a known source or not; 1 triage.yaml has faults; 2 wrong usage, or no alert.`;

interface AdaptOptions {
  attribute: Record<string, string>;
  json?: boolean;
  config?: string;
  at?: Date;
}

/** Adds the command to the program. */
export function registerAdapt(program: Command): void {
  program
    .command('adapt')
    .argument('<file>', ALERT_FILE)
    .option(
      '--attribute <name=value>',
      'an attribute of its message or a header of its webhook; repeatable',
      collectAttribute,
      {},
    )
    .option('--config <folder>', 'the configuration with triage.yaml (default: INQUEST_CONFIG, else config/)')
    .option('--at <time>', 'the time of arrival, such as 2026-11-22T23:30Z (default: now)', readTime)
    .option('--json', 'print the answer as a line of JSON')
    .addHelpText('after', HELP)
    .action(adapt);
}

async function adapt(
  file: string,
  { attribute, json, config, at = new Date() }: AdaptOptions,
): Promise<void> {
  const input = await readAlertInput(file, { afterwards: '', attributes: attribute });
  const rules = loadTriage(config ?? configFolderOf(process.env));
  const triage = triageAlert(rules, input.alert, input.body, at);
  const lines = json ? [JSON.stringify(adaptJson(input, triage))] : adaptLines(input, triage);
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** The answer for programs. */
function adaptJson({ alert, body, trace }: AlertInput, triage: TriageDecision) {
  const places = Object.entries(trace.places).map(([field, paths]) => [field, paths.map(visible)]);
  return {
    alert,
    recognised: visible(trace.reason),
    envelopes: trace.envelopes,
    from: Object.fromEntries(places),
    body: { characters: body.length },
    investigated: isInvestigatedBy(triage, alert),
    triage: triageJson(triage),
  };
}

/** The answer for people. */
function adaptLines({ alert, trace }: AlertInput, triage: TriageDecision): string[] {
  const { source, title, status, severity, identity, summary, url, runbookUrl, startedAt } = alert;
  const facts: [FactName, string | null][] = [
    ['title', title],
    ['status', status],
    ['severity', severity],
    ['identity', identity],
    ['summary', summary],
    ['url', url],
    ['runbookUrl', runbookUrl],
    ['startedAt', startedAt?.toISOString() ?? null],
    ['labels', listed(Object.entries(alert.labels).map(([name, value]) => `${name}=${value}`))],
    ['links', listed(alert.links.map((link) => `${link.title} ${link.url}`))],
    ['members', listed(alert.members.map((member) => `${member.status}: ${member.title}`))],
  ];
  return [
    `read as     ${source}: ${printable(trace.reason)}`,
    `unwrapped   ${trace.envelopes.join(', ') || 'nothing'}`,
    ...facts.map(([name, value]) => `${name.padEnd(11)} ${factText(value, trace.places[name])}`),
    `masked      ${alert.masked} secrets`,
    ...triageLines(triage, alert),
  ];
}

function factText(value: string | null, places: ReadingTrace['places'][FactName]): string {
  if (value === null) return '-';
  return printable(places === undefined ? value : `${value}  (${places.join(', ')})`);
}

function listed(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : texts.join(', ');
}
