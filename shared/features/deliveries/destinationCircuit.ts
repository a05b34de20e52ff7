// The circuit of a destination: after three messages in a row that it refused, none is sent for a while. Then
// one message tries it, and the others wait for the result: a credential that is still revoked makes one
// message fail, not all that wait. One that asks for no further messages is disabled until a person has a
// message sent again.

import type { DeliveryFailure, SendResult } from '../../contract/destination.ts';
import { afterFailure, type Circuit, CLOSED, circuitState } from '../../core/contract/circuit.ts';
import { saveDocument } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { DESTINATION_RACES, RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import { type DestinationState, destinationStateType } from '../../kits/deliveries/delivery.ts';

/** Refusals in a row that open the circuit. */
const MAX_REFUSALS = 3;
/** How long it stays open, in milliseconds. */
const OPEN_MS = 600_000;
/** Milliseconds that others wait for the message that tries it: longer than any request. */
const TRIAL_MS = 60_000;
/** The end of a disabled destination's pause. State and pause are deleted after 30 days. */
const DISABLED_UNTIL = new Date('9999-12-31T00:00:00Z');
const DISABLED: DeliveryFailure = {
  code: 'destination_disabled',
  message:
    'The destination asked for no further messages. Correct its address, then send a message again, which enables it.',
};
/** How long the state of a destination is kept without a change. */
const KEEP_MS = 30 * 24 * 3_600_000;

type CircuitDeps = Pick<StateDeps, 'store' | 'clock' | 'log'>;

/**
 * Asks for one request. After the pause, the first caller gets it, and the others wait for its result.
 * @returns until when no message is sent; null for a request now.
 * @throws RetryableError when other processes keep changing the state, or the store fails.
 */
export async function enterCircuit(name: string, deps: CircuitDeps): Promise<Date | null> {
  let until: Date | null = null;
  await changeState(name, deps, (state, now) => {
    const passes = circuitState(circuitOf(state), now.getTime());
    until = passes === 'open' ? state.closedUntil : null;
    if (passes !== 'half_open') return undefined;
    return { ...state, closedUntil: new Date(now.getTime() + TRIAL_MS) };
  });
  return until;
}

/** Why a message of a closed circuit is not sent later; undefined if it waits. */
export const refusalUntil = (closedUntil: Date): DeliveryFailure | undefined =>
  closedUntil.getTime() === DISABLED_UNTIL.getTime() ? DISABLED : undefined;

/** Lets the next message try a destination at once, because a person asks for it. */
export async function tryNow(name: string, deps: CircuitDeps): Promise<void> {
  await changeState(name, deps, (state, now) =>
    state.closedUntil === null ? undefined : { ...state, closedUntil: now },
  );
}

/** Counts a refusal, or ends the count after a message that was accepted. */
export async function recordResult(name: string, result: SendResult, deps: CircuitDeps): Promise<void> {
  if (result.outcome !== 'sent' && result.outcome !== 'refused') return;
  if (result.outcome === 'refused' && result.isOnlyThis === true) return;
  await changeState(name, deps, (state, now) => {
    if (result.outcome === 'sent') {
      if (state.refusals === 0 && state.closedUntil === null) return undefined;
      return { ...withCircuit(state, CLOSED), failure: null };
    }
    const { failure } = result;
    if (result.isLast === true) {
      deps.log.error(
        { destination: name, code: failure.code },
        `destination ${name} is disabled: ${failure.message}`,
      );
      return { ...state, refusals: MAX_REFUSALS, failure, closedUntil: DISABLED_UNTIL };
    }
    const circuit = afterFailure(circuitOf(state), MAX_REFUSALS, () => {
      deps.log.error(
        { destination: name, code: failure.code },
        `destination ${name} refused ${state.refusals + 1} messages in a row, none is sent for 10 minutes: ${failure.message}`,
      );
      return now.getTime() + OPEN_MS;
    });
    return { ...withCircuit(state, circuit), failure };
  });
}

function circuitOf({ refusals, closedUntil }: DestinationState): Circuit {
  return { failures: refusals, openUntil: closedUntil?.getTime() ?? null };
}

function withCircuit(state: DestinationState, { failures, openUntil }: Circuit): DestinationState {
  return { ...state, refusals: failures, closedUntil: openUntil === null ? null : new Date(openUntil) };
}

/**
 * Changes the state of a destination.
 * @param change returns undefined to leave it as it is.
 * @throws RetryableError when other processes keep changing it, or the store fails.
 */
export async function changeState(
  name: string,
  { store, clock }: Pick<CircuitDeps, 'store' | 'clock'>,
  change: (state: DestinationState, now: Date) => DestinationState | undefined,
): Promise<void> {
  const path = destinationStateType.paths.destination(name);
  await retryLostRaces<undefined>(`destination ${name}`, DESTINATION_RACES, async () => {
    const now = clock.now();
    const stored = await store.get(path, destinationStateType);
    const before = stored?.value ?? newState(name);
    const changed = change(before, now);
    if (changed === undefined) return undefined;
    const value = { ...changed, expireAt: new Date(now.getTime() + KEEP_MS) };
    const { ok } = await store.commit([saveDocument(path, destinationStateType, value, stored?.version)]);
    return ok ? undefined : RACE_LOST;
  });
}

function newState(destination: string): DestinationState {
  const none = { refusals: 0, closedUntil: null, failure: null, hour: '', roots: 0 };
  return { destination, ...none, expireAt: new Date(0) };
}
