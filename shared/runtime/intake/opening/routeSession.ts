// Step 4 of intake for a new session, route: its chain, and the session as it starts.

import { alertForPrompt } from '../../../alerts/prompt.ts';
import type { Budgets, SessionConfig } from '../../../config/config.ts';
import { routeAlert } from '../../../config/routing.ts';
import { stageIdOf } from '../../../schema/documents.ts';
import { type Session, sessionDueAt } from '../../../schema/session.ts';
import { withStoredAgents } from '../../agents/resolveAgents.ts';
import { type AlertDeps, randomHex } from '../../kernel/deps.ts';
import { FRESH_SESSION } from '../../kernel/session/freshSession.ts';
import { maskInstructions } from '../../kernel/session/maskInstructions.ts';
import { sessionIdOf } from '../../kernel/session/sessionId.ts';
import type { TriagedAlert } from '../message/triageMessage.ts';

/** An alert with the session that it is about to open. */
export interface RoutedAlert extends TriagedAlert {
  session: Session;
  /** The budgets of its chain. */
  budgets: Budgets;
}

/**
 * Chooses the chain of an alert: the one that its message names, else by the rules of the chains.
 * @throws TerminalError `CONFIG_UNKNOWN_CHAIN`; RetryableError when the store fails.
 */
export async function routeSession(
  alert: TriagedAlert,
  config: SessionConfig,
  deps: AlertDeps,
): Promise<RoutedAlert> {
  const { body, masker, maskKey, owner, rerunOf, traceparent } = alert;
  const route = routeAlert(config, alert.alert, body, requestedChain(alert, config));
  const chain = maskInstructions(await withStoredAgents(route.chain, config, deps), masker);
  const now = deps.clock.now();
  const status = 'in_progress';
  const deadline = new Date(now.getTime() + config.sessionDeadlineMs(chain.name));
  const dataNonce = randomHex(deps, 6);
  const session: Session = {
    sessionId: ownSessionId(alert),
    ...FRESH_SESSION,
    ...owner,
    kind: 'investigation',
    status,
    alert: alert.alert,
    alertText: alertForPrompt(alert.alert, body, { maxBytes: config.alertPromptBytes, nonce: dataNonce }),
    dataNonce,
    maskKey,
    chain,
    // The text quotes the rule, which can contain a secret.
    routing: { ...route.routing, text: masker.mask(route.routing.text).text },
    currentStageId: stageIdOf(1, chain.stages[0]?.name ?? ''),
    rerunOf,
    deadline,
    dueAt: sessionDueAt({ status, openStage: null, deadline, createdAt: now, deferral: null }),
    expireAt: new Date(now.getTime() + config.retentionMs),
    traceparent,
    createdAt: now,
  };
  return { ...alert, session, budgets: config.budgets(chain.name) };
}

/** The id of the session that an alert opens. @param digits of its key at the end of the id. */
export function ownSessionId(
  { alert: { title }, reportedAt, key }: Pick<TriagedAlert, 'alert' | 'reportedAt' | 'key'>,
  digits?: number,
): string {
  return sessionIdOf({ title, publishedAt: reportedAt, key }, digits);
}

/** The chain that the message names. An error quotes the name of a chain that does not exist, so that name is masked. */
function requestedChain(
  { chainName: chain, masker }: TriagedAlert,
  { chains }: SessionConfig,
): string | undefined {
  if (chain === null) return undefined;
  return Object.hasOwn(chains, chain) ? chain : masker.mask(chain).text;
}
