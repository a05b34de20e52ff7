// A circuit breaker for each model, shared by all calls of an instance: while a model does not answer, it is
// asked by one call at a time, after pauses that grow.

import { afterFailure, type Circuit, CLOSED, circuitState } from '../../core/contract/circuit.ts';
import { type ErrorCode, RetryableError } from '../../core/errors.ts';
import type { ModelSettings } from '../../core/schema/agent.ts';
import { outagePauseMs } from '../../text/backOff.ts';
import type { FailureKind, ModelFailure } from '../failures.ts';

/** Consecutive failures before the start of an answer that open a circuit. A rate limit opens it at once. */
const MAX_FAILURES = 3;
/** A half-open circuit closes when its limit of concurrent calls passes this number. */
const CLOSES_AT = 8;
/** How long a call waits that comes while others try whether the model answers again, in milliseconds. */
const PROBE_WAIT_MS = 10_000;

/** Failures that show that a model is unavailable to all callers. All others count as answers. */
const OUTAGES: ReadonlySet<FailureKind> = new Set(['rate_limit', 'unavailable', 'network', 'cut']);

/** The right to send one request. A method is called when it has ended; later calls do nothing. */
export interface CircuitPass {
  /** The answer started, or the model refused the request for a reason that concerns only this request. */
  answered(): void;
  /** The request failed before its answer started. */
  failed(failure: ModelFailure): void;
  /** No answer started within the time that the call had. */
  timedOut(): void;
  /** The request was given up for another reason. */
  cancelled(): void;
}

/** The circuit breakers of an instance. */
export interface Circuits {
  /**
   * Asks for the right to send a request.
   * @param hasWaited whether the call has waited for as long as the provider asked for, at its attempt
   * before.
   * @throws RetryableError with the code of the last failure, and with `retryAfterMs`, while the model is not
   * asked.
   */
  enter(model: Pick<ModelSettings, 'provider' | 'model'>, hasWaited?: boolean): CircuitPass;
}

interface ModelCircuit extends Circuit {
  /** Changes when it opens or closes: the end of a request that was sent before is ignored. */
  generation: number;
  /** How often it was opened since the last answer. */
  openings: number;
  /** Whether it is open for exactly as long as the provider asked for. */
  isProviderPause: boolean;
  /** While it is half open: requests whose answer has not started, and how many of them are allowed. */
  trying: number;
  /** Maximum requests whose answer has not started, while it is half open. */
  allowed: number;
  /** The code of the last failure. */
  code: ErrorCode;
}

/**
 * Makes the circuit breakers of an instance. A circuit opens after a rate limit, or three failures in a row,
 * for as long as the provider requests, else for 10 s to 5 min. Then one request tries whether the model
 * answers; each answer that starts allows one more concurrent request, and the eighth closes the circuit. A
 * failure opens it again.
 * @param options.random 0 up to 1, for jitter.
 * @param options.now epoch milliseconds.
 */
export function createCircuits({
  random = Math.random,
  now = Date.now,
}: {
  random?: () => number;
  now?: () => number;
} = {}): Circuits {
  const circuits = new Map<string, ModelCircuit>();

  /** Starts a pause. @returns its end. */
  function openCircuit(circuit: ModelCircuit, requestedMs: number | undefined): number {
    // Only the first wait that the provider requests is final: calls that waited that long do not wait again.
    circuit.isProviderPause = requestedMs !== undefined && circuit.openings === 0;
    const pauseMs =
      circuit.isProviderPause && requestedMs !== undefined
        ? requestedMs
        : outagePauseMs(circuit.openings, random, requestedMs);
    circuit.openings += 1;
    startGeneration(circuit);
    return now() + pauseMs;
  }

  function recordFailure(circuit: ModelCircuit, code: ErrorCode, most: number, requestedMs?: number): void {
    const next = afterFailure(circuit, most, () => openCircuit(circuit, requestedMs));
    Object.assign(circuit, { code, ...next });
  }

  function recordSuccess(circuit: ModelCircuit): void {
    circuit.failures = 0;
    circuit.openings = 0;
    if (circuit.openUntil === null) return;
    circuit.trying -= 1;
    circuit.allowed += 1;
    if (circuit.allowed <= CLOSES_AT) return;
    circuit.openUntil = null;
    startGeneration(circuit);
  }

  return {
    enter({ provider, model }, hasWaited = false) {
      const name = `${provider}/${model}`;
      const circuit = circuits.get(name) ?? newCircuit();
      circuits.set(name, circuit);
      const { openUntil } = circuit;
      if (openUntil !== null && hasWaited && circuit.isProviderPause)
        circuit.openUntil = Math.min(openUntil, now());
      const state = circuitState(circuit, now());
      if (state === 'open') throw circuitOpenError(name, circuit.code, (openUntil ?? 0) - now());
      if (state === 'half_open') {
        if (circuit.trying >= circuit.allowed) throw circuitOpenError(name, circuit.code, PROBE_WAIT_MS);
        circuit.trying += 1;
      }
      const { generation } = circuit;
      let hasEnded = false;
      const end = (apply: () => void) => () => {
        if (hasEnded) return;
        hasEnded = true;
        if (circuit.generation === generation) apply();
      };
      return {
        answered: end(() => recordSuccess(circuit)),
        failed({ kind, error }) {
          if (!OUTAGES.has(kind)) return this.answered();
          const most = kind === 'rate_limit' ? 1 : MAX_FAILURES;
          const requestedMs = error instanceof RetryableError ? error.retryAfterMs : undefined;
          end(() => recordFailure(circuit, error.code, most, requestedMs))();
        },
        timedOut: end(() => recordFailure(circuit, 'MODEL_UNAVAILABLE', MAX_FAILURES)),
        cancelled: end(() => {
          if (circuit.openUntil !== null) circuit.trying -= 1;
        }),
      };
    },
  };
}

function newCircuit(): ModelCircuit {
  return {
    ...CLOSED,
    generation: 0,
    openings: 0,
    isProviderPause: false,
    trying: 0,
    allowed: 1,
    code: 'MODEL_UNAVAILABLE',
  };
}

/** Ignores the ends of earlier requests, also in the number of those that try. */
function startGeneration(circuit: ModelCircuit): void {
  Object.assign(circuit, { trying: 0, allowed: 1, generation: circuit.generation + 1 });
}

function circuitOpenError(model: string, code: ErrorCode, retryAfterMs: number): RetryableError {
  const message = `${model} is not asked for ${Math.ceil(retryAfterMs / 1000)} s: its last calls failed (${code}).`;
  return new RetryableError(code, message, { retryAfterMs });
}
