// Step 4 of intake for a new session, route: its chain, and the session as it starts.

import { declaredDependencies } from '../../../alerts/dependencies.ts';
import { alertForPrompt } from '../../../alerts/prompt.ts';
import { locateAlert } from '../../../alerts/resource.ts';
import { alertPart } from '../../../alerts/schema/alert.ts';
import { dependenciesPart } from '../../../alerts/schema/dependencies.ts';
import { rerunPart } from '../../../alerts/schema/rerun.ts';
import { type Routing, routingPart } from '../../../alerts/schema/routing.ts';
import type { SessionConfig } from '../../../config/config.ts';
import { computeExpiry } from '../../../config/retention.ts';
import { routeAlert } from '../../../config/routing.ts';
import { budgetsOfSession } from '../../../config/sessionLimits.ts';
import { type AlertDeps, randomHex } from '../../../core/kernel/deps.ts';
import { FRESH_SESSION } from '../../../core/kernel/session/freshSession.ts';
import { composeStageId } from '../../../core/schema/coreDocuments.ts';
import { NO_PARTS, type WithParts, withPart } from '../../../core/schema/parts.ts';
import { type Session, sessionDueAt } from '../../../core/schema/session.ts';
import { withStoredAgents } from '../../../kits/agents/resolveAgents.ts';
import type { RoutedAlert, TriagedAlert } from '../../../kits/alerts/alert.ts';
import { ownSessionId } from '../../../kits/alerts/sessionId.ts';
import { maskInstructions } from '../../../masking/maskInstructions.ts';

/**
 * Chooses the chain of an alert: the one that its message names, else by the rules of the chains.
 * @throws TerminalError `CONFIG_UNKNOWN_CHAIN`; RetryableError when the store fails.
 */
export async function routeSession(
  alert: TriagedAlert,
  config: SessionConfig,
  deps: AlertDeps,
): Promise<RoutedAlert> {
  const { body, masker, maskKey, owner, traceparent } = alert;
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
    input: alertForPrompt(alert.alert, body, { maxBytes: config.alertPromptBytes, nonce: dataNonce }),
    dataNonce,
    maskKey,
    chain,
    currentStageId: composeStageId(1, chain.stages[0]?.name ?? ''),
    deadline,
    dueAt: sessionDueAt({ status, openStage: null, deadline, createdAt: now, deferral: null }),
    expireAt: computeExpiry(config, now),
    traceparent,
    createdAt: now,
    ...openingParts(alert, route.routing, config),
  };
  return { ...alert, session, budgets: budgetsOfSession(session, config) };
}

/** The parts of a session that are known when its chain is chosen. */
function openingParts(
  { alert, masker, rerunOf }: TriagedAlert,
  { text, ...routing }: Routing,
  { services }: SessionConfig,
): WithParts {
  // The text quotes the rule, which can contain a secret.
  const parts = withPart(routingPart, withPart(alertPart, NO_PARTS, alert), {
    ...routing,
    text: masker.mask(text).text,
  });
  const near = declaredDependencies(locateAlert(alert, services).service, services);
  const located = withPart(dependenciesPart, parts, near.length === 0 ? undefined : { near });
  return withPart(rerunPart, located, rerunOf === null ? undefined : { of: rerunOf });
}

/** The chain that the message names. An error quotes an unknown chain's name, so it is masked. */
function requestedChain(
  { chainName: chain, masker }: TriagedAlert,
  { chains }: SessionConfig,
): string | undefined {
  if (chain === null) return undefined;
  return Object.hasOwn(chains, chain) ? chain : masker.mask(chain).text;
}
