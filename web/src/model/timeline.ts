// The events of a session as they come, by execution and iteration. Each iteration has a signal of its own,
// so that an event renders only its iteration again.

import { batch, computed, type Signal, signal } from '@preact/signals';
import type { EventOf, ModelCall, TimelineEvent } from '../../../shared/lists/apiTypes.ts';
import { byNumber, type CallEvent, groupSteps, listStepEvents, type Step } from './steps.ts';

/** Which iteration of which agent. */
export interface IterationPlace {
  key: string;
  executionId: string;
  /** Null where it is not known: a group of events that were stored together. */
  number: number | null;
}

/** An iteration of an agent, with its folding. */
export interface Iteration extends IterationPlace {
  /** In the order of their numbers. */
  events: Signal<readonly TimelineEvent[]>;
  /** The call of its model, once it is known. */
  call: Signal<ModelCall | undefined>;
  isOpen: Signal<boolean>;
  /** Whether its rows are on the screen, or near it. In long sessions the others are not drawn. */
  isNear: Signal<boolean>;
  openSteps: Signal<ReadonlySet<string>>;
}

/** Where an event stands. */
interface Place {
  iteration: Iteration;
  step: Step;
}

/** With more events, only rows near the screen are drawn. */
const LONG = 600;

/** The events of a session. */
export class Timeline {
  /** Number of events, for readers of all events. */
  readonly size = signal(0);
  /** Whether there are so many events that only rows near the screen are drawn. */
  readonly isLong = computed(() => this.size.value > LONG);
  /** Number of calls of models that are known. */
  readonly callsRead = signal(0);
  /** Whether a new iteration is open. Default: each is. */
  opens: (iteration: IterationPlace) => boolean = () => true;
  readonly #events = new Map<string, TimelineEvent>();
  readonly #calls = new Map<string, readonly CallEvent[]>();
  readonly #results = new Map<string, EventOf<'tool_result'>>();
  readonly #modelCalls = new Map<string, ModelCall>();
  readonly #iterations = new Map<string, Signal<readonly Iteration[]>>();

  /** Adds events; ignores known ones unless they streamed or had less text. @returns how many new. */
  add(events: readonly TimelineEvent[]): number {
    const news = events.filter(({ eventId, content }) => {
      const known = this.#events.get(eventId);
      if (known === undefined || known.status === 'streaming') return true;
      return known.cut && content.length > known.content.length;
    });
    const added = news.filter(({ eventId }) => !this.#events.has(eventId)).length;
    for (const event of news) this.#events.set(event.eventId, event);
    for (const event of news) this.#index(event);
    const groups = Map.groupBy(news, (event) => groupKey(event));
    batch(() => {
      for (const [key, group] of groups) this.#put(key, group);
      this.size.value = this.#events.size;
    });
    return added;
  }

  /** Sets the model calls. Summaries of results belong to no iteration. */
  setModelCalls(calls: readonly ModelCall[]): void {
    for (const call of calls)
      if (call.kind !== 'summarization')
        this.#modelCalls.set(modelCallKey(call.executionId, call.iteration), call);
    batch(() => {
      for (const iteration of this.peekAll()) {
        const known = this.modelCallOf(iteration.executionId, iteration.number);
        if (known?.interactionId !== iteration.call.peek()?.interactionId) iteration.call.value = known;
      }
      this.callsRead.value = this.#modelCalls.size;
    });
  }

  /** The call of a model that an iteration is about. */
  modelCallOf(executionId: string, iteration: number | null): ModelCall | undefined {
    return this.#modelCalls.get(modelCallKey(executionId, iteration));
  }

  /** Removes live events. An iteration without events is removed, too. */
  remove(eventIds: readonly string[]): void {
    const gone = eventIds.flatMap((id) => this.#events.get(id) ?? []);
    batch(() => {
      for (const event of gone) {
        this.#events.delete(event.eventId);
        const iterations = this.iterationsOf(event.executionId);
        const own = iterations.peek().find(({ key }) => key === groupKey(event));
        if (own === undefined) continue;
        own.events.value = own.events.peek().filter(({ eventId }) => eventId !== event.eventId);
        if (own.events.peek().length === 0) iterations.value = iterations.peek().filter((one) => one !== own);
      }
      this.size.value = this.#events.size;
    });
  }

  /** The iterations of an execution, in order. */
  iterationsOf(executionId: string): Signal<readonly Iteration[]> {
    const known = this.#iterations.get(executionId);
    if (known !== undefined) return known;
    const made = signal<readonly Iteration[]>([]);
    this.#iterations.set(executionId, made);
    return made;
  }

  /** All iterations, without a subscription to new ones. */
  peekAll(): Iteration[] {
    return [...this.#iterations.values()].flatMap((one) => one.peek());
  }

  /** Executions of which there are events. */
  executionIds(): string[] {
    return [...this.#iterations].flatMap(([id, { value }]) => (value.length > 0 ? [id] : []));
  }

  /** An event by its id. */
  get(eventId: string): TimelineEvent | undefined {
    return this.#events.get(eventId);
  }

  /** The calls of an agent of the same tool with the same arguments, in the order in which they came. */
  callsLike(call: CallEvent): readonly CallEvent[] {
    return this.#calls.get(timelineCallKey(call)) ?? [];
  }

  /** The result of a call. */
  resultOf(call: CallEvent): EventOf<'tool_result'> | undefined {
    return this.#results.get(resultKey(call));
  }

  /**
   * Whether only the start of some result was read. A result that is longer than the API sends in a list is
   * cut there, too.
   * @param startBytes of a start.
   */
  hasResultStarts(startBytes: number): boolean {
    return [...this.#results.values()].some(({ cut, content }) => cut && content.length <= startBytes);
  }

  /** All events, by time; those of the same moment by their ids. */
  all(): TimelineEvent[] {
    return [...this.#events.values()].sort(compareEventTimes);
  }

  /** The latest event that fits; undefined without one. */
  latestOf(fits: (event: TimelineEvent) => boolean): TimelineEvent | undefined {
    let latest: TimelineEvent | undefined;
    for (const event of this.#events.values())
      if (fits(event) && (latest === undefined || compareEventTimes(latest, event) < 0)) latest = event;
    return latest;
  }

  /** Where an event stands, by execution and number. */
  placeOf(executionId: string, sequenceNumber: number): Place | undefined {
    for (const iteration of this.iterationsOf(executionId).peek())
      for (const step of groupSteps(iteration.events.peek()))
        if (listStepEvents(step).some((event) => event.sequenceNumber === sequenceNumber))
          return { iteration, step };
    return undefined;
  }

  #index(event: TimelineEvent): void {
    if (event.eventType === 'tool_result') this.#results.set(resultKey(event), event);
    if (event.eventType !== 'llm_tool_call') return;
    const known = this.#calls.get(timelineCallKey(event)) ?? [];
    this.#calls.set(timelineCallKey(event), [...known, event]);
  }

  #put(key: string, events: readonly TimelineEvent[]): void {
    const [first] = events;
    if (first === undefined) return;
    const iterations = this.iterationsOf(first.executionId);
    const known = iterations.peek().find((one) => one.key === key);
    if (known !== undefined) {
      const ids = new Set(events.map(({ eventId }) => eventId));
      const kept = known.events.peek().filter(({ eventId }) => !ids.has(eventId));
      known.events.value = [...kept, ...events].sort(byNumber);
      return;
    }
    const place = { key, executionId: first.executionId, number: first.iteration };
    const made: Iteration = {
      ...place,
      events: signal([...events].sort(byNumber)),
      call: signal(this.modelCallOf(first.executionId, first.iteration)),
      isOpen: signal(this.opens(place)),
      isNear: signal(false),
      openSteps: signal(new Set<string>()),
    };
    iterations.value = [...iterations.peek(), made].sort(byFirst);
  }
}

function compareEventTimes(a: TimelineEvent, b: TimelineEvent): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.eventId < b.eventId ? -1 : 1;
}

function timelineCallKey({ executionId, metadata }: CallEvent): string {
  return `${executionId} ${metadata.toolName} ${metadata.arguments}`;
}

function modelCallKey(executionId: string, iteration: number | null): string {
  return `${executionId}/${iteration}`;
}

function resultKey({ executionId, metadata }: CallEvent | EventOf<'tool_result'>): string {
  return `${executionId} ${metadata.callId}`;
}

function groupKey({ executionId, iteration, createdAt }: TimelineEvent): string {
  return `${executionId}/${iteration ?? createdAt}`;
}

function byFirst(a: Iteration, b: Iteration): number {
  return firstNumber(a) - firstNumber(b);
}

function firstNumber({ events }: Iteration): number {
  return events.peek()[0]?.sequenceNumber ?? 0;
}
