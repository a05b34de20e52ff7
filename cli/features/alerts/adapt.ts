// `adapt`: shows how an alert is read, and why, without sending it.

import type { Command } from 'commander';
import type { FactName } from '../../../shared/alerts/fields/adapter.ts';
import type { ReadingTrace } from '../../../shared/alerts/index.ts';
import { type Located, locateAlert } from '../../../shared/alerts/resource.ts';
import { loadLookups, loadTriage } from '../../../shared/config/load.ts';
import { loadResources } from '../../../shared/config/resources.ts';
import { type TriageDecision, triageAlert } from '../../../shared/config/triage.ts';
import { readConfigFolder } from '../../../shared/environment.ts';
import type { LookedUp } from '../../../shared/kits/enrichment/enrichAlert.ts';
import { adaptJson } from '../../../shared/kits/views/alerts/alertPreview.ts';
import { type AlertInput, readAlertInput } from '../../alert/alertInput.ts';
import { enrichedLines, enrichInput } from '../../alert/enrichAlert.ts';
import { locatedLines } from '../../alert/locatedText.ts';
import { readTime, triageLines } from '../../alert/triageText.ts';
import { ALERT_FILE, attributeOption } from '../../options/attributeOption.ts';
import { printableText, write } from '../../process/output.ts';

const HELP = `
Reads the alert as ingestAlert does, and sends nothing. Prints the adapter and how it recognised the alert, the envelopes
that were removed (Pub/Sub, CloudEvents, SNS, SQS, HTTP requests, base64, JSON in text), and the source of each field in the
payload. Secrets are masked. shared/features/alerts/README.md lists the known sources. Then prints the decision of triage.yaml at the current
time, or at --at: the rule that matches, and why earlier rules do not. Without triage.yaml the built-in rules apply.
The labels that enrich.yaml looks up in files are added before; tables in Firestore are not read here (the page /new does).
Exit codes: 0 the file holds an alert, of a known source or not; 1 triage.yaml has faults; 2 wrong usage, or no alert.`;

interface AdaptOptions {
  /** Of the message. */
  attribute: Record<string, string>;
  json?: boolean;
  /** The configuration folder. Default: the one that the environment names. */
  config?: string;
  /** When the alert arrives. Default: now. */
  at?: Date;
}

/** Adds the command to the program. */
export function registerAdapt(program: Command): void {
  program
    .command('adapt')
    .argument('<file>', ALERT_FILE)
    .addOption(attributeOption())
    .option('--config <folder>', 'the configuration with triage.yaml (default: INQUEST_CONFIG, else config/)')
    .option('--at <time>', 'the time of arrival, such as 2026-11-22T23:30Z (default: now)', readTime)
    .option('--json', 'print the answer as a line of JSON')
    .addHelpText('after', HELP)
    .action(showReading);
}

async function showReading(
  file: string,
  { attribute, json, config, at = new Date() }: AdaptOptions,
): Promise<void> {
  const folder = config ?? readConfigFolder(process.env);
  const read = await readAlertInput(file, { afterwards: '', attributes: attribute });
  const { input, lookedUp } = await enrichInput(read, loadLookups(folder));
  const rules = loadTriage(folder);
  const triage = triageAlert(rules, input.alert, input.body, at);
  const located = locateAlert(input.alert, loadResources(folder));
  const lines = json
    ? [JSON.stringify({ ...adaptJson(input, triage), located, enriched: lookedUp })]
    : adaptLines(input, located, lookedUp, triage);
  write(lines.join('\n'));
}

/** The answer for people. */
function adaptLines(
  { alert, trace }: AlertInput,
  located: Located,
  lookedUp: readonly LookedUp[],
  triage: TriageDecision,
): string[] {
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
    ['labels', joinTemplateParts(Object.entries(alert.labels).map(([name, value]) => `${name}=${value}`))],
    ['links', joinTemplateParts(alert.links.map((link) => `${link.title} ${link.url}`))],
    ['members', joinTemplateParts(alert.members.map((member) => `${member.status}: ${member.title}`))],
  ];
  return [
    `read as     ${source}: ${printableText(trace.reason)}`,
    `unwrapped   ${trace.envelopes.join(', ') || 'nothing'}`,
    ...facts.map(([name, value]) => `${name.padEnd(11)} ${factText(value, trace.places[name])}`),
    ...locatedLines(located, 11),
    `masked      ${alert.masked} secrets`,
    ...enrichedLines(lookedUp, 11),
    ...triageLines(triage, alert),
  ];
}

function factText(value: string | null, places: ReadingTrace['places'][FactName]): string {
  if (value === null) return '-';
  return printableText(places === undefined ? value : `${value}  (${places.join(', ')})`);
}

function joinTemplateParts(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : texts.join(', ');
}
