// Chooses the chain of an alert: the named one, else the first with a matching rule, else the default. Pure.

import type { Alert } from '../alerts/schema/alert.ts';
import type { Routing } from '../alerts/schema/routing.ts';
import type { ChainSnapshot } from '../core/schema/agent.ts';
import { limitHead } from '../text/limitText.ts';
import { checkRule, toAlertView } from './alertRules.ts';
import { resolveChain } from './chains.ts';
import type { SessionConfig } from './config.ts';

/** Maximum length of the reason, in UTF-8 bytes. */
const MAX_REASON_BYTES = 1_000;

/** A chain that was tried before the selected one and did not match the alert. */
interface PassedChain {
  /** Name of the chain. */
  chain: string;
  /** For each rule, in order, the conditions that did not hold. */
  rules: string[];
}

/** The chain of an alert, and why. */
export interface Route {
  /** The chain with its agents, models and limits filled in. */
  chain: ChainSnapshot;
  /** The reason for the selection, as the session stores it. */
  routing: Routing;
  /** The chains that were tried before, in order; empty when the message names the chain. */
  passed: PassedChain[];
}

/** The parts of a configuration that routing needs. */
export type RoutingConfig = Pick<SessionConfig, 'chains' | 'defaultChain' | 'alertRules'>;

/**
 * The chain of an alert.
 * @param body the whole body of the alert, without secrets.
 * @param asked the chain that its message names; its rules are not asked then.
 * @throws TerminalError `CONFIG_UNKNOWN_CHAIN` when `asked` does not exist.
 */
export function routeAlert(config: RoutingConfig, alert: Alert, body: string, asked?: string): Route {
  if (asked !== undefined) {
    const text = 'its message asks for it (attribute chain)';
    return { chain: resolveChain(config, asked), routing: { by: 'message', rule: null, text }, passed: [] };
  }
  const view = toAlertView(alert, body);
  const passed: PassedChain[] = [];
  for (const [name, rules] of Object.entries(config.alertRules)) {
    const failed: string[] = [];
    for (const [position, rule] of rules.entries()) {
      const conditions = checkRule(rule, view);
      const missing = conditions.filter(({ holds }) => !holds);
      if (missing.length > 0) {
        failed.push(missing.map(({ text }) => text).join('; '));
        continue;
      }
      const reason = conditions.map(({ text }) => text).join('; ');
      const text = limitHead(`rule ${position + 1}: ${reason}`, MAX_REASON_BYTES);
      return { chain: resolveChain(config, name), routing: { by: 'rule', rule: position + 1, text }, passed };
    }
    passed.push({ chain: name, rules: failed });
  }
  const text = passed.length === 0 ? 'it is the default' : 'it is the default, and no rule takes the alert';
  return { chain: resolveChain(config), routing: { by: 'default', rule: null, text }, passed };
}
