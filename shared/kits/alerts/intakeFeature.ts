// The interface of a feature of intake. `lists/intakeFeatures.ts` lists these features;
// `shared/features/alerts/context/features.ts` composes them and defines intake without them.

import type { AlertDeps } from '../../core/kernel/deps.ts';
import type { SessionNotice } from '../../core/kernel/session/sessionEvents.ts';
import type { Session } from '../../core/schema/session.ts';
import type { AdmittedAlert, IntakeConfig, ReadAlert, TriagedAlert } from './alert.ts';
import type { Deferral } from './deferredSession.ts';
import type { AttemptOutcome, IntakeOutcome } from './intakeOutcome.ts';
import type { Problem } from './problem.ts';

/** One feature of intake: an object with the hooks that it needs. */
export interface IntakeFeature {
  /**
   * Adds labels to an alert before its triage.
   * @throws RetryableError when the store fails.
   */
  enrich?(alert: ReadAlert, config: IntakeConfig, deps: AlertDeps): Promise<ReadAlert>;
  /**
   * Finds the session that a report of a known problem belongs to. Writes nothing. Default: each alert opens
   * a session.
   * @throws RetryableError when the store fails.
   */
  place?(alert: ReportedAlert, config: IntakeConfig, deps: AlertDeps): Promise<Place>;
  /**
   * Attaches an alert to the open session of another alert instead of opening one.
   * @returns undefined if the alert opens a session.
   * @throws RetryableError when the store fails, or other deliveries keep being faster.
   */
  join?(alert: TriagedAlert, deps: AlertDeps): Promise<IntakeOutcome | undefined>;
  /**
   * Decides why a session that could start has to wait. Default: it starts.
   * @throws RetryableError when the store fails.
   */
  defer?(session: Session, config: IntakeConfig, deps: AlertDeps): Promise<Deferral | undefined>;
  /**
   * Adds information to a new session before it is stored. Nothing that is missing prevents the session.
   * @throws RetryableError when the store fails.
   */
  addContext?(alert: AdmittedAlert, config: IntakeConfig, deps: AlertDeps): Promise<AddedContext>;
}

/** An alert with the key of its problem. */
export interface ReportedAlert extends TriagedAlert {
  incidentKey: string;
}

/** The place of a report. */
export type Place =
  /** It opens a session for its problem. */
  | { kind: 'open'; problem: Problem }
  /** Another delivery is opening the session. */
  | { kind: 'wait' }
  /**
   * It belongs to a session. `attach` stores it there, and starts, holds or stops the session if the problem
   * requires it. Returns `RACE_LOST` if another delivery was faster.
   */
  | { kind: 'attach'; attach(options: AttachOptions): Promise<AttemptOutcome> }
  /** This code cannot read the documents of the problem. */
  | { kind: 'unreadable' };

/** How a report is attached. */
export interface AttachOptions {
  /** Whether the report can have an event: of many reports at once only some need one. */
  isEventful: boolean;
  /** Whether this is the last attempt. */
  isLast: boolean;
  /** Why a held session that the report starts has to wait; undefined if it starts. */
  decideDeferral(session: Session): Promise<Deferral | undefined>;
}

/** Changed fields and added parts of a new session, and the event about them; null without an event. */
export interface AddedContext {
  change: Partial<Session>;
  notice: SessionNotice | null;
}
