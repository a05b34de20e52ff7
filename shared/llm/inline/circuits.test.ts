import { describe, expect, it } from 'vitest';
import { type FailureKind, modelFailure } from '../failures.ts';
import { type CircuitPass, createCircuits } from './circuits.ts';

const MODEL = { provider: 'google', model: 'gemini' };

/** Circuit breakers on a clock of their own, without jitter. */
function start(random = 0) {
  let now = 0;
  const circuits = createCircuits({ now: () => now, random: () => random });
  const enter = (model = MODEL) => circuits.enter(model);
  const fail = (kind: FailureKind, retryAfterMs?: number) =>
    enter().failed(modelFailure(kind, 'down', { retryAfterMs }));
  return {
    enter,
    fail,
    isOpen: () => isRefused(enter),
    pass(seconds: number) {
      now += seconds * 1_000;
    },
  };
}

function isRefused(enter: () => CircuitPass): boolean {
  try {
    enter().cancelled();
    return false;
  } catch {
    return true;
  }
}

it('opens after three failures in a row, and after a rate limit at once', () => {
  const { fail, isOpen, enter } = start();
  fail('unavailable');
  fail('network');
  enter().answered();
  fail('unavailable');
  fail('cut');
  expect(isOpen()).toBe(false);
  enter().timedOut();
  expect(isOpen()).toBe(true);

  const limited = start();
  limited.fail('rate_limit');
  expect(limited.isOpen()).toBe(true);
});

it('is of one model, and of failures that are no answer', () => {
  const { fail, enter, isOpen } = start();
  for (const kind of ['bad_request', 'blocked', 'empty', 'quota'] as const) fail(kind);
  expect(isOpen()).toBe(false);
  fail('rate_limit');
  expect(isRefused(() => enter({ ...MODEL, model: 'other' }))).toBe(false);
});

it('names the last failure, and how long nothing is asked', () => {
  const { fail, enter } = start();
  fail('rate_limit');
  expect(enter).toThrow(
    expect.objectContaining({
      code: 'MODEL_QUOTA',
      retryAfterMs: 10_000,
      message: expect.stringMatching(/^google\/gemini is not asked for 10 s/),
    }),
  );
});

it('stays open for the time that the provider asks for, else longer with each failure, with jitter', () => {
  const { fail, isOpen, pass } = start();
  fail('rate_limit', 2_000);
  pass(1.9);
  expect(isOpen()).toBe(true);
  pass(0.1);
  fail('unavailable');
  pass(19.9);
  expect(isOpen()).toBe(true);
  pass(0.1);
  expect(isOpen()).toBe(false);

  const asked = start();
  asked.fail('rate_limit', 2_000);
  asked.pass(2);
  // The second time it is at least the pause of this circuit, and what the provider asks for.
  asked.fail('rate_limit', 2_000);
  asked.pass(19.9);
  expect(asked.isOpen()).toBe(true);
  asked.pass(0.1);
  asked.fail('rate_limit', 600_000);
  asked.pass(599.9);
  expect(asked.isOpen()).toBe(true);
  asked.pass(0.1);
  expect(asked.isOpen()).toBe(false);

  const drawn = start(0.5);
  drawn.fail('rate_limit');
  drawn.pass(14.9);
  expect(drawn.isOpen()).toBe(true);
  drawn.pass(0.1);
  expect(drawn.isOpen()).toBe(false);
});

describe('half open', () => {
  function halfOpen() {
    const circuit = start();
    circuit.fail('rate_limit');
    circuit.pass(10);
    return circuit;
  }

  it('lets one request through; one that was given up makes room for another', () => {
    const { enter, isOpen } = halfOpen();
    const probe = enter();
    expect(isOpen()).toBe(true);
    probe.cancelled();
    expect(isOpen()).toBe(false);
  });

  it('allows one more at a time with each answer, and closes with the eighth', () => {
    const { enter, isOpen } = halfOpen();
    for (let allowed = 1; allowed <= 8; allowed++) {
      const passes = Array.from({ length: allowed }, () => enter());
      expect(isOpen()).toBe(true);
      for (const one of passes.slice(1)) one.cancelled();
      passes[0]?.answered();
    }
    for (let count = 0; count < 50; count++) enter();
    expect(isOpen()).toBe(false);
  });

  it('opens again with a failure, and results of earlier requests change nothing', () => {
    const { enter, isOpen, pass } = halfOpen();
    const probe = enter();
    probe.answered();
    const [one, other] = [enter(), enter()];
    one.failed(modelFailure('unavailable', 'down'));
    other.answered();
    expect(isOpen()).toBe(true);
    pass(10);
    // The late answer did not shorten the next pause.
    enter().failed(modelFailure('unavailable', 'down'));
    pass(19.9);
    expect(isOpen()).toBe(true);
    pass(0.1);
    expect(isOpen()).toBe(false);
  });

  it('is not opened by a failure that was sent before it opened, and counts each request once', () => {
    const { enter, fail, isOpen, pass } = start();
    const old = enter();
    fail('rate_limit');
    pass(10);
    const probe = enter();
    old.failed(modelFailure('unavailable', 'down'));
    probe.answered();
    probe.answered();
    expect([enter(), enter()]).toHaveLength(2);
    expect(isOpen()).toBe(true);
  });
});
