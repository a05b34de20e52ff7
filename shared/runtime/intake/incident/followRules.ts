// What the configuration says about sessions that an incident begins.

import type { OwnNames } from '../../../alerts/ownAlert.ts';
import type { Budgets } from '../../../config/config.ts';

/** What decides whether a session may begin, and how its alert is shown. */
export interface FollowRules {
  /** The budgets of a chain. Throws TerminalError for one that is no longer configured. */
  budgets(chain: string): Budgets;
  own: OwnNames;
  /** How much of an alert's body agents are shown, in UTF-8 bytes. */
  alertPromptBytes: number;
}
