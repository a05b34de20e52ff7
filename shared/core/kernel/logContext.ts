// Fields that every log line about one message has.

import { AsyncLocalStorage } from 'node:async_hooks';

/** Fields of every line that is logged about one message. */
interface LogContext {
  /** W3C trace context. */
  traceparent?: string | null;
  /** The session that the message belongs to. */
  sessionId?: string;
  /** The execution that the message belongs to. */
  executionId?: string;
  /** The iteration that the message starts, from 1. */
  iteration?: number;
}

const contexts = new AsyncLocalStorage<LogContext>();

/** Runs `action`. Each line that is logged meanwhile has the fields of `context` too. */
export function withLogContext<T>(context: LogContext, action: () => T): T {
  return contexts.run({ ...context }, action);
}

/** Adds fields to the context that the caller runs in. Outside of one it does nothing. */
export function addLogContext(context: LogContext): void {
  Object.assign(contexts.getStore() ?? {}, context);
}

/** The fields of the context that the caller runs in; empty outside of one. */
export function readLogContext(): LogContext {
  return { ...contexts.getStore() };
}
