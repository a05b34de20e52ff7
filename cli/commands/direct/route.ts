// `route`: shows which chain an alert would get, and why, without sending it.

import type { Command } from 'commander';
import { locateAlert } from '../../../shared/alerts/resource.ts';
import type { Alert } from '../../../shared/alerts/schema/alert.ts';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import { loadResources } from '../../../shared/config/resources.ts';
import { type Route, routeAlert } from '../../../shared/config/routing.ts';
import { type TriageDecision, triageAlert } from '../../../shared/config/triage.ts';
import type { StagePlan } from '../../../shared/core/schema/agent.ts';
import { readConfigFolder } from '../../../shared/environment.ts';
import { isInvestigatedBy, routeJson } from '../../../shared/kits/views/alerts/alertPreview.ts';
import { createMasker } from '../../../shared/masking/masker.ts';
import { collectAlertSecrets } from '../../../shared/wiring/alertServices.ts';
import { EXTENSION_NAMES } from '../../../shared/wiring/extensions.ts';
import { describeAlert, readAlertInput } from '../../alert/alertInput.ts';
import { enrichedLines, enrichInput } from '../../alert/enrichAlert.ts';
import { locatedLines } from '../../alert/locatedText.ts';
import { notInvestigatedText } from '../../alert/triageText.ts';
import { ALERT_FILE } from '../../options/attributeOption.ts';
import { printableText, write } from '../../process/output.ts';

const HELP = `
Reads the rules of chains.yaml and chains/*.yaml (\`alerts:\`) as ingestAlert does, and sends nothing. Prints for each chain
before the selected one the condition that did not match, and the current decision of triage.yaml (\`inquest adapt\` prints
details). Ignores budgets, and whether an alert is about Inquest itself.
Exit codes: 0 the alert has a chain; 1 the configuration has faults; 2 wrong usage, or no alert.`;

/** Adds the command to the program. */
export function registerRoute(program: Command): void {
  program
    .command('route')
    .argument('<file>', ALERT_FILE)
    .option('--config <folder>', 'the configuration (default: INQUEST_CONFIG, else config/)')
    .option('--chain <name>', 'as if the message asked for this chain')
    .option('--json', 'print the answer as a line of JSON')
    .addHelpText('after', HELP)
    .action(showRoute);
}

async function showRoute(
  file: string,
  { config: folder, chain, json }: { config?: string; chain?: string; json?: boolean },
): Promise<void> {
  const path = folder ?? readConfigFolder(process.env);
  const config = loadSessionConfig(path, EXTENSION_NAMES);
  const masker = createMasker({ known: collectAlertSecrets(config, process.env), rules: config.masking });
  const read = await readAlertInput(file, { masker, afterwards: '' });
  const { input, lookedUp } = await enrichInput(read, config.enrich ?? []);
  const { alert, body } = input;
  const found = routeAlert(config, alert, body, chain);
  const triage = triageAlert(config.triage, alert, body, new Date());
  const located = locateAlert(alert, loadResources(path));
  const lines = json
    ? [JSON.stringify({ ...routeJson(alert, found, triage), located, enriched: lookedUp })]
    : [...enrichedLines(lookedUp, 10), ...locatedLines(located, 10), ...routeLines(alert, found, triage)];
  write(lines.join('\n'));
}

/** The answer for people. */
function routeLines(alert: Alert, { chain, routing, passed }: Route, triage: TriageDecision): string[] {
  const labels = Object.entries(alert.labels).map(([name, value]) => `${name}=${value}`);
  const over = isInvestigatedBy(triage, alert) ? [] : [`           ${notInvestigatedText(triage, alert)}`];
  return [
    `alert      ${describeAlert(alert)}`,
    `labels     ${printableText(labels.join(', ')) || 'none'}`,
    ...over,
    ...passed.flatMap(({ chain: name, rules }) =>
      rules.map((text, index) => `not        ${name}, rule ${index + 1}: ${printableText(text)}`),
    ),
    `chain      ${chain.name}: ${printableText(routing.text)}`,
    ...chain.stages.map((stage, index) => `stage ${index + 1}    ${stageText(stage)}`),
    `summary    ${chain.summary === undefined ? 'none (summaryModel: off)' : `by ${chain.summary.model.model}`}`,
  ];
}

/** `look: logs, metrics-1, metrics-2; then synthesizer`. */
function stageText({ name, agents, synthesis, successPolicy }: StagePlan): string {
  const names = agents.map((agent) => agent.name).join(', ');
  const policy = successPolicy === 'all' ? ' (all are needed)' : '';
  return `${name}: ${names}${policy}${synthesis === null ? '' : `; then ${synthesis.name}`}`;
}
