// One log line for each request of an identified caller, so that operators see who read an investigation.

import type { Context, MiddlewareHandler } from 'hono';
import type { Logger } from '../../core/contract/logger.ts';
import { asObject, asText } from '../../text/json.ts';
import type { Caller } from './route.ts';

/** The fields of the line that the router knows. Each is set as soon as it is known. */
interface RequestRecord {
  /** The `id` of the route. */
  operation: string;
  caller: Caller;
  /** The parameters of the path, valid for the route. Absent: none, or refused before. */
  params?: unknown;
  /** The called tool of the MCP server. Absent: none. */
  tool?: string;
}

const RECORD = 'requestRecord';

/** Records the caller of a request for `logCallers`. @returns the record, for later fields. */
export function recordCaller(context: Context, operation: string, caller: Caller): RequestRecord {
  const record: RequestRecord = { operation, caller };
  context.set(RECORD, record);
  return record;
}

/** Records the tool that a request to the MCP server calls, and the session that its arguments name. */
export function recordTool(context: Context, tool: string, sessionId: string | undefined): void {
  const record: RequestRecord | undefined = context.get(RECORD);
  if (record !== undefined) Object.assign(record, { tool, params: sessionId && { sessionId } });
}

/**
 * Logs the operation, the caller, the ids in the path and the status of each request. Requests without a
 * valid proof of their caller have no line; Cloud Run logs these too.
 */
export function logCallers(log: Logger): MiddlewareHandler {
  return async (context, next) => {
    await next();
    const record: RequestRecord | undefined = context.get(RECORD);
    if (record === undefined) return;
    const { operation, tool, caller, params } = record;
    const { name, role, tenantId, keyId } = caller;
    const fields = { operation, tool, params, caller: name, keyId, role, tenantId };
    const sessionId = asText(asObject(params).sessionId);
    const traceparent = context.req.header('traceparent');
    log.info({ ...fields, status: context.res.status, sessionId, traceparent }, 'API request');
  };
}
