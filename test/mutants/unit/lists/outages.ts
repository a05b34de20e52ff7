// Mutants of outages of models: circuit breakers, pauses, waits that cost no iteration, deadlines that move.

import type { UnitMutant } from '../unitMutant.ts';

const CIRCUITS = 'shared/llm/inline/circuits.test.ts';
const PAUSE = 'shared/text/backOff.test.ts';
const EXTEND = 'shared/kits/agents/extendDeadlines.test.ts';
const EXTENDED = 'shared/core/kernel/state/extendExecution.test.ts';
const OUTAGE = 'test/features/modelOutages/modelOutage.test.ts';
const UNREADABLE = 'test/core/unreadable.test.ts';

/** The mutants, by what is broken. */
export const OUTAGES_MUTANTS: Record<string, UnitMutant> = {
  'a rate limit does not open the circuit at once': {
    file: 'llm/inline/circuits.ts',
    text: "kind === 'rate_limit' ? 1 : MAX_FAILURES",
    by: 'MAX_FAILURES',
    test: CIRCUITS,
  },
  'a failure of the probe leaves the circuit half open': {
    file: 'core/contract/circuit.ts',
    text: 'before.openUntil !== null || failures',
    by: 'failures',
    test: CIRCUITS,
  },
  'failures do not open the circuit': {
    file: 'core/contract/circuit.ts',
    text: '|| failures >= maxFailures;',
    by: ';',
    test: CIRCUITS,
  },
  'an answer does not reset the failures of a closed circuit': {
    file: 'llm/inline/circuits.ts',
    text: 'circuit.failures = 0;',
    by: '',
    test: CIRCUITS,
  },
  'an answer does not reset the pauses of a circuit': {
    file: 'llm/inline/circuits.ts',
    text: 'circuit.openings = 0;',
    by: '',
    test: CIRCUITS,
  },
  'a circuit that is open asks the model': {
    file: 'llm/inline/circuits.ts',
    text: "if (state === 'open') throw circuitOpenError",
    by: "if (state === 'open' && circuit.failures < 0) throw circuitOpenError",
    test: CIRCUITS,
  },
  'a circuit that is half open asks without a limit': {
    file: 'llm/inline/circuits.ts',
    text: 'if (circuit.trying >= circuit.allowed)',
    by: 'if (circuit.trying >= 1e9)',
    test: CIRCUITS,
  },
  'the first answer closes the circuit': {
    file: 'llm/inline/circuits.ts',
    text: 'if (circuit.allowed <= CLOSES_AT) return;',
    by: 'if (circuit.allowed <= 1) return;',
    test: CIRCUITS,
  },
  'a request that was sent before changes the circuit': {
    file: 'llm/inline/circuits.ts',
    text: 'if (circuit.generation === generation) apply();',
    by: 'apply();',
    test: CIRCUITS,
  },
  'a request that was given up keeps its place': {
    file: 'llm/inline/circuits.ts',
    text: 'if (circuit.openUntil !== null) circuit.trying -= 1;',
    by: '',
    test: CIRCUITS,
  },
  'a circuit closes before the provider allows it': {
    file: 'llm/inline/circuits.ts',
    text: ': outagePauseMs(circuit.openings, random, requestedMs);',
    by: ': outagePauseMs(circuit.openings, random);',
    test: CIRCUITS,
  },
  'the wait that a provider requests is final each time': {
    file: 'llm/inline/circuits.ts',
    text: 'requestedMs !== undefined && circuit.openings === 0;',
    by: 'requestedMs !== undefined;',
    test: CIRCUITS,
  },
  'refusals of one request count as outages': {
    file: 'llm/inline/circuits.ts',
    text: 'if (!OUTAGES.has(kind)) return this.answered();',
    by: '',
    test: CIRCUITS,
  },
  'models share a circuit': {
    file: 'llm/inline/circuits.ts',
    text: 'enter({ provider, model }, hasWaited = false) {',
    by: "enter({ provider }, hasWaited = false) { const model = '';",
    test: CIRCUITS,
  },
  'a request counts twice': {
    file: 'llm/inline/circuits.ts',
    text: 'hasEnded = true;',
    by: '',
    test: CIRCUITS,
  },
  'pauses do not grow': {
    file: 'text/backOff.ts',
    text: 'firstMs * 2 ** Math.min(failures - 1, 30)',
    by: 'firstMs',
    test: PAUSE,
  },
  'pauses grow without an end': {
    file: 'text/backOff.ts',
    text: 'Math.min(mostMs, firstMs * 2 ** Math.min(failures - 1, 30))',
    by: 'firstMs * 2 ** Math.min(failures - 1, 30)',
    test: PAUSE,
  },
  'pauses have no jitter': {
    file: 'text/backOff.ts',
    text: 'least * (1 + random())',
    by: 'least',
    test: PAUSE,
  },
  'a pause is shorter than the provider asks for': {
    file: 'text/backOff.ts',
    text: 'askedMs * (1 + random() / 10)',
    by: 'askedMs / 2',
    test: PAUSE,
  },
  'deadlines are extended by more than an hour': {
    file: 'kits/agents/extendDeadlines.ts',
    text: 'Math.min(part.ms, maxMs - waits.ms)',
    by: 'part.ms',
    test: EXTEND,
  },
  'waits at the same time count twice': {
    file: 'kits/agents/extendDeadlines.ts',
    text: 'uncountedPart(wait, waitedUntil)',
    by: 'uncountedPart(wait, null)',
    test: EXTEND,
  },
  'a wait of an execution counts twice': {
    file: 'core/kernel/state/extendExecution.ts',
    text: 'uncountedPart(wait, waitedUntil)',
    by: 'uncountedPart(wait, null)',
    test: EXTENDED,
  },
  'a session that has ended is extended': {
    file: 'kits/agents/extendDeadlines.ts',
    text: 'if (!isQuestion && isTerminal(session.status)) return undefined;',
    by: '',
    test: EXTEND,
  },
  'a session outlives its documents': {
    file: 'kits/agents/extendDeadlines.ts',
    text: 'extendDeadline(before, grantedMs, expireAt)',
    by: 'new Date(before.getTime() + grantedMs)',
    test: EXTEND,
  },
  'an execution outlives its session': {
    file: 'core/kernel/state/extendExecution.ts',
    text: 'later(deadline, earlier(new Date(ms(deadline) + waitedMs), latest))',
    by: 'new Date(ms(deadline) + waitedMs)',
    test: EXTENDED,
  },
  'a wait extends the session instead of the question': {
    file: 'kits/agents/extendDeadlines.ts',
    text: '...(isQuestion ? { openStage: { ...openStage, deadline } } : { deadline }),',
    by: 'deadline,',
    test: EXTEND,
  },
  'a wait does not extend the executions above': {
    file: 'kits/agents/extendDeadlines.ts',
    text: 'const above = await extendTree(parent.value, wait, sessionDeadline, deps);',
    by: 'const above = parent.value;',
    test: OUTAGE,
  },
  'the call of an agent does not wait longer': {
    file: 'kits/agents/extendDeadlines.ts',
    text: 'until: later(call.waitsFor.until, until)',
    by: 'until: call.waitsFor.until',
    test: OUTAGE,
  },
  'a wait is not stored in the session': {
    file: 'kits/agents/extendDeadlines.ts',
    text: 'const { ok } = await saveSession(stored, session, [], deps);',
    by: 'const ok = session !== undefined;',
    test: OUTAGE,
  },
  'an outage is a failure': {
    file: 'features/modelOutages/feature.ts',
    text: 'if (!isOutage(error, call)) return undefined;',
    by: 'if (isOutage(error, call)) return undefined;',
    test: OUTAGE,
  },
  'an answer that began and broke is an outage': {
    file: 'features/modelOutages/waitForModel.ts',
    text: ' && report.answerStarted !== true',
    by: '',
    test: OUTAGE,
  },
  'the claim of a wait counts': {
    file: 'features/modelOutages/waitForModel.ts',
    text: '...returnClaim(called),',
    by: '...called, lease: null,',
    test: OUTAGE,
  },
  'each pause has a notice': {
    file: 'features/modelOutages/waitForModel.ts',
    text: 'if (earlier === null) batch',
    by: 'batch',
    test: OUTAGE,
  },
  'a wait extends no deadline': {
    file: 'features/modelOutages/waitForModel.ts',
    text: '...extended,',
    by: '',
    test: OUTAGE,
  },
  'pauses of one outage do not grow': {
    file: 'features/modelOutages/waitForModel.ts',
    text: 'outagePauseMs(calls,',
    by: 'outagePauseMs(0,',
    test: OUTAGE,
  },
  'a pause ignores what the provider asks for': {
    file: 'features/modelOutages/waitForModel.ts',
    text: 'outagePauseMs(calls, random, error.retryAfterMs)',
    by: 'outagePauseMs(calls, random)',
    test: OUTAGE,
  },
  'a provider that asks for more time than is left is waited for': {
    file: 'features/modelOutages/waitForModel.ts',
    text: 'if (wasSent && (error.retryAfterMs ?? 0) >= Math.min(outageLeftMs, deadlineLeftMs)) return failure;',
    by: '',
    test: OUTAGE,
  },
  'a long pause has its message delivered again': {
    file: 'features/modelOutages/waitForModel.ts',
    text: 'parked: pauseMs >= (wasSent ? PARKED_FROM_MS : PARKED_REFUSAL_MS),',
    by: 'parked: false,',
    test: OUTAGE,
  },
  'a refusal by the circuit pauses for minutes': {
    file: 'features/modelOutages/waitForModel.ts',
    text: 'Math.min(askedMs, LONGEST_REFUSAL_MS)',
    by: 'askedMs',
    test: OUTAGE,
  },
  'a wait for a model ends without a call': {
    file: 'features/modelOutages/waitForModel.ts',
    text: 'if (wasSentSince && outageLeftMs <= 0)',
    by: 'if (outageLeftMs <= 0)',
    test: OUTAGE,
  },
  'a silent answer is waited for': {
    file: 'core/kernel/inline/limitSilence.ts',
    text: 'if (!isOpen) return;',
    by: 'return;',
    test: OUTAGE,
  },
  'the first answer after an outage is not stored': {
    file: 'features/modelOutages/feature.ts',
    text: 'await noteAnswer(agent.model, outage !== null, deps);',
    by: '',
    test: OUTAGE,
  },
  'each answer reads whether its model was out': {
    file: 'features/modelOutages/modelState.ts',
    text: 'if (!hasWaited && last',
    by: 'if (hasWaited && last',
    test: OUTAGE,
  },
  'the wait of executions of other models ends': {
    file: 'features/modelOutages/resumeWaiting.ts',
    text: ' && models.has(modelLabel(model))',
    by: '',
    test: OUTAGE,
  },
  'executions that wait for a quota are published': {
    file: 'features/modelOutages/resumeWaiting.ts',
    text: ' || !isForModel(outage)',
    by: '',
    test: OUTAGE,
  },
  'what people told the agents counts as read in an outage': {
    file: 'features/modelOutages/waitForModel.ts',
    text: 'const { guidanceTaken, signaturesRefusedUpTo } = current;',
    by: 'const { guidanceTaken, signaturesRefusedUpTo } = { ...current, ...afterCall(current, call, agent.model) };',
    test: OUTAGE,
  },
  'calls that were not sent have a record': {
    file: 'features/modelOutages/waitForModel.ts',
    text: 'if (wasSent) {',
    by: '{',
    test: OUTAGE,
  },
  'a long pause is not parked': {
    file: 'core/kernel/state/decide.ts',
    text: "return isParked(execution) ? { kind: 'parked' } : { kind: 'wait', until: execution.notBefore };",
    by: "return { kind: 'wait', until: execution.notBefore };",
    test: OUTAGE,
  },
  'a document of newer code ends an iteration at once': {
    file: 'core/iteration/runClaimed.ts',
    text: "isTooNew ? await waitForNewerCode(held, outage, error, deps) : 'over'",
    by: "isTooNew ? 'over' : 'over'",
    test: UNREADABLE,
  },
  'an iteration waits for newer code without an end': {
    file: 'core/iteration/waitForNewerCode.ts',
    text: "if (now.getTime() - since.getTime() >= NEWER_CODE_MS) return 'over';",
    by: '',
    test: UNREADABLE,
  },
  'a wait for newer code begins with each claim': {
    file: 'core/iteration/waitForNewerCode.ts',
    text: 'const since = earlier?.since ?? now;',
    by: 'const since = now;',
    test: UNREADABLE,
  },
  'claims of a wait for newer code count': {
    file: 'core/iteration/waitForNewerCode.ts',
    text: '...returnClaim(current)',
    by: '...current, lease: null',
    test: UNREADABLE,
  },
  'an alert that comes again waits for newer code': {
    file: 'core/session/continueSession.ts',
    text: 'if (session !== undefined && session !== UNREADABLE)',
    by: 'if (session === UNREADABLE) throw new RetryableError("SCHEMA_TOO_NEW", "newer"); else if (session !== undefined)',
    test: UNREADABLE,
  },
  'a question that was given up counts as refused': {
    file: 'llm/interactions/backgroundModel.ts',
    text: '!signal.aborted && wasRefused(thrown)',
    by: 'wasRefused(thrown)',
    test: 'test/features/interactions/gemini.test.ts',
  },
  'nothing follows an end while the model thinks': {
    file: 'core/stage/publishOrAdvance.ts',
    text: '  if (execution.endedAt === null) {',
    by: '  if (isParked(execution)) return;\n  if (execution.endedAt === null) {',
    test: 'test/features/interactions/background.test.ts',
  },
};
