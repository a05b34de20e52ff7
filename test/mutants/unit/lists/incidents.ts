// Mutants of incidents, joining alerts and waiting sessions, with tests that notice.

import type { UnitMutant } from '../unitMutant.ts';

const RACES = 'test/features/incidents/incidentRaces.test.ts';
const DECISIONS = 'shared/alerts/incident.test.ts';
const INCIDENTS = 'test/features/incidents/incidents.test.ts';
const WAITING = 'test/features/budgets/waitingSessions.test.ts';
const JOINS = 'test/features/correlation/correlation.test.ts';

/** The mutants, by what is broken. */
export const INCIDENTS_MUTANTS: Record<string, UnitMutant> = {
  'a hold that lost a race is not tried again': {
    file: 'features/incidents/followIncident.ts',
    text: 'return (await holdSession(session, fence(), deps)).ok ? undefined : RACE_LOST;',
    by: 'return void (await holdSession(session, fence(), deps));',
    test: RACES,
  },
  'a stop that lost a race is not tried again': {
    file: 'features/incidents/followIncident.ts',
    text: 'if (!(await stopSession(session, incident, deps)).ok) return RACE_LOST;',
    by: 'if (!(await stopSession(session, incident, deps)).ok) return;',
    test: RACES,
  },
  'a start that lost a race is not tried again': {
    file: 'features/incidents/followIncident.ts',
    text: 'startHeldSession(session, alert, rules, since, deps)) ? undefined : RACE_LOST;',
    by: 'startHeldSession(session, alert, rules, since, deps)) ? undefined : undefined;',
    test: RACES,
  },
  'what an incident asks for is tried once': {
    file: 'features/incidents/followIncident.ts',
    text: 'SESSION_RACES, async',
    by: '1, async',
    test: RACES,
  },
  'a stop whose process died is not finished': {
    file: 'features/incidents/followIncident.ts',
    text: `      case 'finish_stop':
        return void (await finishCancelling(session.value, deps));`,
    by: `      case 'finish_stop':
        return;`,
    test: RACES,
  },
  'a session that starts again has no time since which it fires': {
    file: 'features/incidents/followIncident.ts',
    text: 'fence({ since: firingAt })',
    by: 'fence()',
    test: RACES,
  },
  'a redelivery does not do what the incident asks for': {
    file: 'features/incidents/attachReport.ts',
    text: '    await followIncident(alert, rules, deps);\n    return continue',
    by: '    return continue',
    test: RACES,
  },
  'a redelivery does not publish the session of a dead delivery': {
    file: 'features/incidents/attachReport.ts',
    text: 'return continueSession(earlier, deps);',
    by: "return { outcome: 'attached', sessionId: earlier, report: alert.report.kind };",
    test: RACES,
  },
  'a report that lost a race is not counted': {
    file: 'features/incidents/attachReport.ts',
    text: 'if (earlier === undefined) return RACE_LOST;',
    by: 'if (earlier === undefined) return continueSession(session.id, deps);',
    test: RACES,
  },
  'the cool-down counts to the handling of a report': {
    file: 'features/incidents/feature.ts',
    text: 'const facts = { key, isWanted, reportedAt,',
    by: 'const facts = { key, isWanted, reportedAt: deps.clock.now(),',
    test: INCIDENTS,
  },
  'retries are not counted': {
    file: 'features/incidents/openIncident.ts',
    text: "retries: again === 'retry' ? (known?.retries ?? 0) + 1 : 0,",
    by: 'retries: 0,',
    test: INCIDENTS,
  },
  'the next session is not given the earlier one': {
    file: 'features/incidents/openIncident.ts',
    text: 'again: opening.again === undefined ? null : (opening.session ?? null),',
    by: 'again: null,',
    test: INCIDENTS,
  },
  'an analysis that a person confirmed is not given to the next session': {
    file: 'features/incidents/feature.ts',
    text: '|| !isConfirmed(stored.value)',
    by: '|| isConfirmed(stored.value)',
    test: INCIDENTS,
  },
  'the earlier analysis is not framed': {
    file: 'wording/investigation.ts',
    text: 'frameData(withoutMarks(text), { nonce, source })',
    by: 'withoutMarks(text)',
    test: INCIDENTS,
  },
  'what keeps firing has a session after each cool-down': {
    file: 'alerts/coolDown.ts',
    text: 'return { waitMs: Math.max(coolDownMs, reinvestigateAfterMs),',
    by: 'return { waitMs: coolDownMs,',
    test: DECISIONS,
  },
  'a cool-down that is longer does not hold': {
    file: 'alerts/coolDown.ts',
    text: 'Math.max(coolDownMs, reinvestigateAfterMs)',
    by: 'reinvestigateAfterMs',
    test: DECISIONS,
  },
  'a session that failed is retried for ever': {
    file: 'alerts/coolDown.ts',
    text: 'if (isFailed && incident.retries < MAX_RETRIES)',
    by: 'if (isFailed)',
    test: DECISIONS,
  },
  'a session that a person cancelled is tried again': {
    file: 'alerts/coolDown.ts',
    text: "session.finalAnalysis === null && session.status !== 'cancelled'",
    by: 'session.finalAnalysis === null',
    test: DECISIONS,
  },
  'an older resolve counts as one since the session was opened': {
    file: 'alerts/coolDown.ts',
    text: '(since === null || resolvedAt >= since)',
    by: 'resolvedAt !== since',
    test: DECISIONS,
  },
  'a group that another alert joins is the same problem': {
    file: 'alerts/coolDown.ts',
    text: 'if (wasResolved(incident) || hasNewMember(readSessionAlert(session), members))',
    by: 'if (wasResolved(incident))',
    test: DECISIONS,
  },
  'each new pod is a new problem of its group': {
    file: 'alerts/coolDown.ts',
    text: "toLineShape(title.replace(POD_SUFFIX, '0'))",
    by: 'title',
    test: DECISIONS,
  },
  'a member that is resolved is a new problem of its group': {
    file: 'alerts/coolDown.ts',
    text: 'members.filter(({ status }) => isInvestigated(status))',
    by: 'members.filter(() => true)',
    test: DECISIONS,
  },
  'what waits for a budget takes no reports': {
    file: 'alerts/incident.ts',
    text: "return session.deferral?.reason === 'settling' || readWaitedBudgets(session) !== null;",
    by: "return session.deferral?.reason === 'settling';",
    test: DECISIONS,
  },
  'a session that a budget deferred has no entry': {
    file: 'kits/alerts/deferredSession.ts',
    text: 'return [putDocument(path, waitingSessionType, { sessionId, expireAt, createdAt: since })];',
    by: 'return [];',
    test: WAITING,
  },
  'a session that waits again has no entry': {
    file: 'features/incidents/startHeldSession.ts',
    text: 'const waiting = waitingWrites(changed.session, now);',
    by: 'const waiting: Write[] = [];',
    test: WAITING,
  },
  'severity does not decide which session starts': {
    file: 'kits/alerts/deferredSession.ts',
    text: 'const rank = severityRank(readSessionAlert(session)?.severity ?? null);',
    by: 'const rank = 3;',
    test: WAITING,
  },
  'only one session of a chain starts in a run': {
    file: 'features/budgets/startWaiting.ts',
    text: 'if (next !== undefined) heads.push(next);',
    by: '',
    test: WAITING,
  },
  'any number of sessions start in a run': {
    file: 'features/budgets/startWaiting.ts',
    text: 'report.started < MAX_STARTS',
    by: 'report.started < 1e9',
    test: WAITING,
  },
  'a session starts without a ticket': {
    file: 'features/budgets/startWaiting.ts',
    text: "if (!(await hasTickets(session.value, budgets, now, deps))) return 'no_room';",
    by: '',
    test: WAITING,
  },
  'a chain without room takes tickets of all chains': {
    file: 'features/budgets/startWaiting.ts',
    text: 'if (tokens !== undefined || sessions !== undefined) return false;',
    by: 'if (tokens !== undefined) return false;',
    test: WAITING,
  },
  'tokens of the day are not waited for': {
    file: 'features/budgets/startWaiting.ts',
    text: 'if (tokens !== undefined || sessions !== undefined) return false;',
    by: 'if (sessions !== undefined) return false;',
    test: WAITING,
  },
  'a session that waits no longer is started': {
    file: 'features/budgets/startWaiting.ts',
    text: 'isWaiting ? readWaitedBudgets(session.value) : null',
    by: 'session?.value.deferral ? { sessionsPerHour: [], dailyTokens: [] } : null',
    test: WAITING,
  },
  'entries of sessions that wait no longer stay': {
    file: 'features/budgets/startWaiting.ts',
    text: '    await store.commit([deletion]);\n',
    by: '',
    test: WAITING,
  },
  'a session whose document is broken keeps others waiting': {
    file: 'features/budgets/startWaiting.ts',
    text: 'captureFailure(store.get(paths.session(sessionId), sessionType))',
    by: '{ value: await store.get(paths.session(sessionId), sessionType), failure: undefined as { message: string } | undefined }',
    test: WAITING,
  },
  'a joined alert is looked for in no earlier delivery': {
    file: 'features/correlation/joinSession.ts',
    text: 'return handled ?? (await findRelatedSession(own, correlation, deps));',
    by: 'return findRelatedSession(own, correlation, deps);',
    test: JOINS,
  },
  'an alert joins a session that has ended': {
    file: 'features/correlation/leadAlerts.ts',
    text: "return status === 'in_progress' && conclusion === null;",
    by: "return status !== 'deferred' || conclusion === null;",
    test: JOINS,
  },
  'an alert joins a session of which only the summary is left': {
    file: 'features/correlation/leadAlerts.ts',
    text: "return status === 'in_progress' && conclusion === null;",
    by: "return status === 'in_progress' || conclusion !== null;",
    test: JOINS,
  },
  'a join that lost its race is not tried again': {
    file: 'features/correlation/joinSession.ts',
    text: 'return earlier === undefined ? RACE_LOST :',
    by: "return earlier === undefined ? { outcome: 'attached', sessionId, report: 'joined' } :",
    test: JOINS,
  },
};
