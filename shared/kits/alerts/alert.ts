// The record of an alert on its way through intake. Each step adds its fields to those of the step before.

import type { DecodedAlert } from '../../alerts/decodeAlert.ts';
import type { AlertReport } from '../../alerts/incident.ts';
import type { MaskedAlert } from '../../alerts/index.ts';
import type { CorrelationKeys } from '../../alerts/schema/correlation.ts';
import type { OwnNames } from '../../alerts/selfAlert.ts';
import type { Budgets, SessionConfig } from '../../config/config.ts';
import type { RuleLines } from '../../config/ruleLines.ts';
import type { TriageDecision } from '../../config/triage.ts';
import type { Masker } from '../../core/contract/guard.ts';
import type { Session } from '../../core/schema/session.ts';
import type { Deferral } from './deferredSession.ts';
import type { Problem } from './problem.ts';

/** The configuration, with the names of Inquest's own functions, topics and services. */
export interface IntakeConfig extends SessionConfig {
  /** Names that mark alerts about Inquest itself. */
  own: OwnNames;
}

/** An alert as it was read from its message. */
export interface ReadAlert extends Omit<MaskedAlert, 'trace'> {
  /** The key of the alert, the same for each delivery of its message. */
  key: string;
  /** Pub/Sub's id of the message. */
  messageId: string;
  /** The attributes of the message; empty for none. */
  attributes: Record<string, string>;
  /** When Pub/Sub accepted the message; null if unknown. */
  publishedAt: Date | null;
  /** W3C trace context: that of the message, else one derived from its id. */
  traceparent: string;
  /** The alert before masking. For a session that exists, it is masked again with that session's key. */
  opened: DecodedAlert;
  /** The key of the marks in `alert` and `body`, 32 hexadecimal digits, and the masker with it. */
  maskKey: string;
  /** Masks with `maskKey`. */
  masker: Masker;
  /** Whether a source or a person sent it; false for that of a check. */
  isSent: boolean;
  /** The labels that tables of the installation added. Absent: none. */
  enriched?: Readonly<Record<string, string>>;
}

/** An alert with the decision of triage, the same for each delivery of its message. */
export interface TriagedAlert extends ReadAlert {
  /** When its message was published; when it was received, if that is unknown. */
  reportedAt: Date;
  /** The session whose alert it repeats at a user's request; null for any other alert. */
  rerunOf: string | null;
  /** The session out of which a person took it; null for any other alert. */
  splitOf: string | null;
  /** The tenant, and the user whose id the message has; null without one. */
  owner: { tenantId: string; userId: string | null };
  /** The rule's decision, and the deferral that follows from it. */
  triage: MessageTriage;
  /** The fact that the arrival of the alert proves, in one sentence. */
  proof: string;
  /** The keys of the labels that it shares with other alerts; null without such labels. */
  correlation: CorrelationKeys | null;
  /** The chain that its message names; null without one. */
  chainName: string | null;
  /** Whether the alert fires, was resolved or was acknowledged, and when. */
  report: AlertReport;
  /** The key of its problem; null without identity, for a test or a rerun: these have own sessions. */
  incidentKey: string | null;
  /** Where the rules of the configuration stand, for its fate; null for an alert without one. */
  places: RuleLines | null;
}

/** The decision of the rules about an alert. */
export interface MessageTriage
  extends Pick<TriageDecision, 'action' | 'by' | 'rule' | 'text' | 'namesState' | 'join'> {
  /** Why its session does not start; undefined if triage lets it start. */
  deferral: Deferral | undefined;
}

/** An alert with the session that it is about to open. */
export interface RoutedAlert extends TriagedAlert {
  /** The session with its chain, not yet stored. */
  session: Session;
  /** The budgets of its chain. */
  budgets: Budgets;
}

/** An alert whose session is to be opened. */
export interface AdmittedAlert extends RoutedAlert {
  /** Its problem, claimed where budgets count sessions; null for an alert without a problem. */
  problem: Problem | null;
  /** Why the session does not start now; undefined if it does. */
  deferral: Deferral | undefined;
}
