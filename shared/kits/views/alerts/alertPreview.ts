// Previews the handling of an alert without sending it: how it is read, the decision of triage, and its
// chain. The commands `adapt` and `route` print the same.

import * as z from 'zod';
import { isInvestigated } from '../../../alerts/fields/status.ts';
import type { MaskedAlert } from '../../../alerts/index.ts';
import { type Alert, alertSchema } from '../../../alerts/schema/alert.ts';
import type { SessionConfig } from '../../../config/config.ts';
import { type Route, type RoutingConfig, routeAlert } from '../../../config/routing.ts';
import { type TriageDecision, triageAlert } from '../../../config/triage.ts';
import { makeVisible } from '../../../text/hiddenCharacters.ts';

type ReadAlert = Pick<MaskedAlert, 'alert' | 'body' | 'trace'>;

const decisionSchema = z.strictObject({
  action: z.enum(['investigate', 'record', 'drop']),
  rule: z.string(),
  text: z.string(),
  passed: z.array(z.strictObject({ rule: z.string(), text: z.string() })),
});

/** How an alert would be read and routed. */
export const alertPreviewSchema = z.strictObject({
  alert: alertSchema,
  recognised: z.string().describe('Why it counts as one of its source'),
  envelopes: z.array(z.string()).describe('The text that was taken off around it'),
  from: z.record(z.string(), z.array(z.string())).describe('Where its fields stand in the payload'),
  body: z.strictObject({ characters: z.int() }),
  problem: z.string().nullable().describe('Identifies its problem at its source, for `listAlerts`'),
  enriched: z
    .array(
      z.strictObject({
        lookup: z.string().describe('The file or the table'),
        found: z.enum(['row', 'no_row', 'no_label', 'not_read']),
        values: z.record(z.string(), z.string()),
      }),
    )
    .describe('The look-ups of enrich.yaml; `alert` has their labels'),
  investigated: z.boolean(),
  triage: decisionSchema,
  chain: z.string(),
  routing: z.strictObject({
    by: z.string().describe('`message`, `rule` or `default`'),
    rule: z.int().nullable(),
    text: z.string(),
  }),
  passed: z.array(z.strictObject({ chain: z.string(), rules: z.array(z.string()) })),
  stages: z.array(
    z.strictObject({
      name: z.string(),
      agents: z.array(z.string()),
      synthesis: z.string().nullable(),
      successPolicy: z.string(),
    }),
  ),
  summaryModel: z.string().nullable(),
  chains: z.array(z.string()).describe('All chains that can be asked for'),
});

/** Whether an alert is investigated, by triage and the status of the alert only. */
export function isInvestigatedBy({ action, namesState }: TriageDecision, { status }: Alert): boolean {
  return action === 'investigate' && (namesState || isInvestigated(status));
}

/** How an alert is read, and the decision of triage. */
export function adaptJson({ alert, body, trace }: ReadAlert, triage: TriageDecision) {
  const places = Object.entries(trace.places).map(([field, paths]) => [field, paths.map(makeVisible)]);
  return {
    alert,
    recognised: makeVisible(trace.reason),
    envelopes: trace.envelopes,
    from: Object.fromEntries(places) as Record<string, string[]>,
    body: { characters: body.length },
    investigated: isInvestigatedBy(triage, alert),
    triage: triageJson(triage),
  };
}

/** The chain of an alert, and the reason. */
export function routeJson(alert: Alert, { chain, routing, passed }: Route, triage: TriageDecision) {
  const { source, title, severity, status, labels } = alert;
  return {
    alert: { source, title, severity, status, labels },
    chain: chain.name,
    routing,
    passed,
    stages: chain.stages.map(({ name, agents, synthesis, successPolicy }) => ({
      name,
      agents: agents.map((agent) => agent.name),
      synthesis: synthesis?.name ?? null,
      successPolicy,
    })),
    summaryModel: chain.summary?.model.model ?? null,
    investigated: isInvestigatedBy(triage, alert),
    triage: triageJson(triage),
  };
}

function triageJson({ action, rule, text, passed }: TriageDecision) {
  return { action, rule, text: makeVisible(text), passed };
}

type PreviewConfig = RoutingConfig & Pick<SessionConfig, 'triage'>;

/**
 * Both, at a time. @param asked the chain that the sender names.
 * @throws TerminalError `CONFIG_UNKNOWN_CHAIN` for a chain that does not exist.
 */
export function previewAlert(read: ReadAlert, config: PreviewConfig, now: Date, asked: string | undefined) {
  const triage = triageAlert(config.triage, read.alert, read.body, now);
  const { alert: _, ...route } = routeJson(
    read.alert,
    routeAlert(config, read.alert, read.body, asked),
    triage,
  );
  return { ...adaptJson(read, triage), ...route };
}
