// Looks for settings that carry a number of investigations: simulates, raises the limit that was reached
// first, and simulates again.

import type { Counted, ServiceName } from './countOperations.ts';
import { WARMING } from './firestoreLimits.ts';
import type { Inputs } from './inputs.ts';
import { alertsPerSecond, callTokens, idealSeconds, type Outcome, simulate } from './simulate.ts';
import type { Reached } from './timeline.ts';

/** A limit that was reached, and what is set against it. */
export interface Step {
  /** The limit, and when it was reached. */
  reached: Reached;
  /** The installations at that time. */
  installations: number;
  /** The change. `null`: no setting raises this limit; it is left out from here on. */
  change: string | null;
}

/** Settings that carry the investigations. */
export interface Settings {
  /** The outcome with the inputs as they are. */
  first: Outcome;
  steps: Step[];
  inputs: Inputs;
  /** Each with its own topics and database, and an equal part of the alerts. */
  installations: number;
  /** The outcome of one installation with the settings. */
  outcome: Outcome;
  /** Whether no limit is reached with the settings. */
  isCarried: boolean;
}

/** Ours: the mean use of a limit. */
const USED_SHARE = 0.8;
/** The least growth of a setting, when the mean use would fit. */
const GROWTH = 1.25;
const MOST_STEPS = 20;
const LIMIT = /^(instances|push window|processor|model|collection|document|index)(?: of)? (.*)$/s;

/** Deployments that are looked for. */
interface Plan {
  inputs: Inputs;
  counted: Counted;
  installations: number;
}

/** @param note called with a line before each simulation. */
export function findSettings(
  given: Inputs,
  counted: Counted,
  open: number,
  seed: number,
  note: (line: string) => void = () => {},
): Settings {
  const plan: Plan = { inputs: structuredClone(given), counted, installations: 1 };
  const run = (): Outcome => {
    const { installations } = plan;
    const each = Math.ceil(open / installations);
    note(
      `simulates ${each} investigations${installations > 1 ? ` in each of ${installations} installations` : ''}`,
    );
    return simulate(divideQuota(plan.inputs, installations), plan.counted, { open: each }, seed);
  };
  const steps: Step[] = [];
  const first = run();
  let outcome = first;
  while (outcome.reached[0] !== undefined && steps.length < MOST_STEPS) {
    const [reached] = outcome.reached;
    const { installations } = plan;
    steps.push({ reached, installations, change: raiseLimit(reached.name, plan, open, given) });
    outcome = run();
  }
  const { inputs, installations } = plan;
  return { first, steps, inputs, installations, outcome, isCarried: outcome.reached.length === 0 };
}

/** Changes the plan. @returns the change; null when no setting raises the limit. */
function raiseLimit(limit: string, plan: Plan, open: number, given: Inputs): string | null {
  const { inputs, counted, installations } = plan;
  const [, kind, subject = ''] = LIMIT.exec(limit) ?? [];
  const service = subject as ServiceName;
  const perSecond = alertsPerSecond(open, counted, inputs) / USED_SHARE;
  const set = (section: keyof Inputs, name: string, change: (from: number) => number): string => {
    const values = inputs[section] as Record<string, number>;
    const from = values[name] ?? 0;
    values[name] = change(from);
    return `${section}.${name} from ${from} to ${values[name]}`;
  };
  const raise = (section: keyof Inputs, name: string, needed: number): string =>
    set(section, name, (from) => Math.ceil(Math.max(needed, from * GROWTH)));

  switch (kind) {
    case 'instances': {
      const calls = (perSecond * busySeconds(service, counted, inputs)) / installations;
      return raise(service, 'maxInstances', calls / inputs[service].concurrency);
    }
    case 'processor':
      return set(service, 'concurrency', (from) => Math.max(1, Math.floor(from / GROWTH)));
    case 'model': {
      const { calls, tokens } = modelUse(inputs);
      if (subject === 'requests') return raise('model', 'requestsPerMinute', 60 * perSecond * calls);
      return raise('model', 'tokensPerMinute', 60 * perSecond * tokens);
    }
    case 'collection':
      return set('firestore', 'warmMinutes', (from) => from + WARMING.minutes);
    case 'push window': {
      const calls = perSecond * busySeconds(service, counted, inputs);
      plan.installations = Math.max(installations + 1, Math.ceil(calls / inputs.pubsub.window));
      for (const name of ['ingestAlert', 'runIteration'] as const) {
        const needed = (inputs[name].maxInstances * installations) / plan.installations;
        inputs[name].maxInstances = Math.max(given[name].maxInstances, Math.ceil(needed));
      }
      return `installations from ${installations} to ${plan.installations}, runIteration.maxInstances to ${inputs.runIteration.maxInstances}`;
    }
    default:
      plan.counted = leaveOut(counted, limit);
      return null;
  }
}

/** The operations without a document or an index. */
function leaveOut(counted: Counted, limit: string): Counted {
  const keep = (kind: string) => (name: string) => `${kind} ${name}` !== limit;
  const isKept = keep('index');
  return {
    ...counted,
    indexes: Object.fromEntries(Object.entries(counted.indexes).filter(([name]) => isKept(name))),
    investigations: counted.investigations.map((messages) =>
      messages.map((message) => ({
        ...message,
        segments: message.segments.map((operations) =>
          operations.map((each) => ({ ...each, documents: each.documents.filter(keep('document')) })),
        ),
      })),
    ),
  };
}

/** The seconds in which an investigation has a call of a service. */
export function busySeconds(service: ServiceName, { investigations }: Counted, inputs: Inputs): number {
  const messages = investigations.flat().filter((message) => message.service === service);
  const seconds = messages.map((message) => idealSeconds(message, inputs) - inputs.pubsub.deliverySeconds);
  return seconds.reduce((sum, each) => sum + each, 0) / investigations.length;
}

/** The quota of a model is the organization's. */
function divideQuota(inputs: Inputs, installations: number): Inputs {
  const { model } = inputs;
  const requestsPerMinute = model.requestsPerMinute / installations;
  const tokensPerMinute = model.tokensPerMinute / installations;
  return { ...inputs, model: { ...model, requestsPerMinute, tokensPerMinute } };
}

/** Of an investigation: its calls, with the summary, and their tokens. */
function modelUse({ investigation: { iterations } }: Inputs): { calls: number; tokens: number } {
  const calls = Array.from({ length: iterations + 1 }, (_, index) => callTokens(index + 1, iterations));
  return { calls: calls.length, tokens: calls.reduce((sum, tokens) => sum + tokens, 0) };
}
