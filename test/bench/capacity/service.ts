// A push subscription of Pub/Sub, and the service of Cloud Run behind it.

import type { Message, ServiceName } from './countOperations.ts';
import type { Inputs } from './inputs.ts';
import type { Process, Timeline } from './timeline.ts';

/** A message under way. */
export interface Task {
  messages: readonly Message[];
  /** Its place among them. */
  place: number;
  /** When the alert was published; undefined when the investigation was open at the start. */
  startedAt: number | undefined;
  publishedAt: number;
  failures: number;
  /** Whether it has room in the model's quota. */
  isGranted: boolean;
}

/** An instance of a service. */
export interface Instance {
  running: number;
  /** When its processor is free. */
  freeAt: number;
  /** Since when its time is counted; undefined while it is idle. */
  activeSince: number | undefined;
}

/** The end of a call. A postponed message comes again after some seconds. */
export type CallEnd = 'done' | 'failed' | { postponed: number };

/** Handles a message on an instance. */
export type Handle = (task: Task, instance: Instance) => Process<CallEnd>;

/** Ours: failures within a second halve the push window once. */
const HALVED_EVERY_SECONDS = 1;
const MOST_RETRY_SECONDS = 600;

/** A service with its subscription. */
export class Service {
  readonly name: ServiceName;
  readonly instances: Instance[] = [];
  /** Time of instances that start or have a call, since measuring started. */
  instanceSeconds = 0;
  /** Instances that were started, since then. */
  starts = 0;
  readonly #inputs: Inputs;
  readonly #timeline: Timeline;
  readonly #handle: Handle;
  readonly #published: Task[] = [];
  /** In Cloud Run's queue. */
  readonly #requests: { task: Task; since: number }[] = [];
  readonly #postponed = new Set<Task>();
  #window: number;
  #outstanding = 0;
  #pausedUntil = 0;
  #backoff = 0;
  #halvedAt = Number.NEGATIVE_INFINITY;
  #running = 0;
  #starting = 0;
  #turn = 0;

  constructor(name: ServiceName, inputs: Inputs, timeline: Timeline, handle: Handle) {
    this.name = name;
    this.#inputs = inputs;
    this.#timeline = timeline;
    this.#handle = handle;
    this.#window = inputs.pubsub.firstWindow;
  }

  /** Publishes a message. */
  add(task: Task): void {
    this.#published.push(task);
    this.#push();
  }

  /** The age of the oldest message without a call. */
  oldestAge(): number {
    const waiting = [this.#published[0], this.#requests[0]?.task, ...this.#postponed];
    const times = waiting.map((task) => task?.publishedAt ?? this.#timeline.now);
    return this.#timeline.now - times.reduce((oldest, time) => Math.min(oldest, time));
  }

  /** Counts the time of an instance until now. */
  countTime(instance: Instance): void {
    const { now, from } = this.#timeline;
    if (instance.activeSince !== undefined)
      this.instanceSeconds += Math.max(0, now - Math.max(from, instance.activeSince));
    instance.activeSince = instance.running > 0 ? now : undefined;
  }

  get #settings(): Inputs['runIteration'] {
    return this.#inputs[this.name];
  }

  /** Sends messages while the window has room. */
  #push(): void {
    const { now } = this.#timeline;
    const { window, deliverySeconds } = this.#inputs.pubsub;
    while (now >= this.#pausedUntil && this.#outstanding < this.#window) {
      const task = this.#published.shift();
      if (task === undefined) return;
      this.#outstanding++;
      if (this.#window >= window && task.failures === 0)
        this.#timeline.blame(`push window of ${this.name}`, now - task.publishedAt);
      this.#timeline.after(deliverySeconds, () => this.#receive(task));
    }
  }

  #receive(task: Task): void {
    const request = { task, since: this.#timeline.now };
    this.#requests.push(request);
    this.#beginCalls();
    this.#timeline.after(this.#inputs.run.queueSeconds, () => {
      // All wait for the same time: a request that still waits is the first.
      if (this.#requests[0] !== request) return;
      this.#requests.shift();
      this.#blameInstances(request.since);
      this.#answer(task, 'failed');
    });
    const { maxInstances, concurrency } = this.#settings;
    const calls = this.#running + this.#requests.length;
    const wanted = calls / (concurrency * this.#inputs.run.targetShare);
    while (this.instances.length < Math.min(maxInstances, wanted)) this.#startInstance();
  }

  #startInstance(): void {
    const { now, isMeasured } = this.#timeline;
    const freeAt = now + this.#inputs.run.startProcessorSeconds;
    const instance: Instance = { running: 0, freeAt, activeSince: now };
    // All take the same time, so that those that start are the last ones.
    this.instances.push(instance);
    this.#starting++;
    this.starts += isMeasured ? 1 : 0;
    this.#timeline.after(this.#inputs.run.startSeconds, () => {
      this.#starting--;
      this.countTime(instance);
      this.#beginCalls();
    });
  }

  #beginCalls(): void {
    for (let instance = this.#findFree(); instance !== undefined; instance = this.#findFree()) {
      const request = this.#requests.shift();
      if (request === undefined) return;
      this.#beginCall(request, instance);
    }
  }

  #beginCall({ task, since }: { task: Task; since: number }, instance: Instance): void {
    this.#blameInstances(since);
    instance.activeSince ??= this.#timeline.now;
    instance.running++;
    this.#running++;
    this.#timeline.start(this.#handle(task, instance), (end) => {
      instance.running--;
      this.#running--;
      this.countTime(instance);
      this.#answer(task, end);
      this.#beginCalls();
    });
  }

  /** Instances take turns. */
  #findFree(): Instance | undefined {
    const { concurrency } = this.#settings;
    const ready = this.instances.length - this.#starting;
    if (this.#running >= ready * concurrency) return undefined;
    for (;;) {
      const instance = this.instances[this.#turn++ % ready];
      if (instance !== undefined && instance.running < concurrency) return instance;
    }
  }

  #blameInstances(since: number): void {
    if (this.instances.length >= this.#settings.maxInstances && this.#starting === 0)
      this.#timeline.blame(`instances of ${this.name}`, this.#timeline.now - since);
  }

  /** Ends a push request: the window grows by successes, and a failure pauses the subscription. */
  #answer(task: Task, end: CallEnd): void {
    this.#outstanding--;
    if (end === 'failed') {
      this.#slowDown();
      const seconds = this.#inputs.pubsub.retrySeconds * 2 ** task.failures;
      this.#postpone({ ...task, failures: task.failures + 1 }, Math.min(MOST_RETRY_SECONDS, seconds));
    } else {
      this.#window = Math.min(this.#inputs.pubsub.window, this.#window + 1);
      this.#backoff = 0;
      if (end !== 'done') this.#postpone({ ...task, isGranted: true }, end.postponed);
    }
    this.#push();
  }

  #slowDown(): void {
    const { now } = this.#timeline;
    if (now - this.#halvedAt < HALVED_EVERY_SECONDS) return;
    const { firstBackoffSeconds, mostBackoffSeconds } = this.#inputs.pubsub;
    this.#halvedAt = now;
    this.#window = Math.max(1, Math.floor(this.#window / 2));
    this.#backoff = Math.min(mostBackoffSeconds, Math.max(firstBackoffSeconds, 2 * this.#backoff));
    this.#pausedUntil = now + this.#backoff;
    this.#timeline.after(this.#backoff, () => this.#push());
  }

  #postpone(task: Task, seconds: number): void {
    this.#postponed.add(task);
    this.#timeline.after(seconds, () => {
      this.#postponed.delete(task);
      this.add(task);
    });
  }
}
