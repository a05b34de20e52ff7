// A tool of the MCP server.

import type * as z from 'zod';
import type { ApiRole } from '../../schema/apiRole.ts';
import type { Caller, RequestDeps } from '../http/route.ts';

/** Milliseconds that a tool waits for a session or an answer: below the timeouts of usual clients. */
export const MAX_TOOL_WAIT_MS = 45_000;

/** Work that outlasts its request: an investigation, or with an execution the answer to a question. */
export interface McpWork {
  sessionId: string;
  executionId: string | null;
}

/** A call of a tool: its caller, and a signal that ends with the request. */
export interface ToolRequest {
  caller: Caller;
  deps: RequestDeps;
  signal: AbortSignal;
  /** Reports progress to a client that waits and asked for it. `done` has to grow. */
  progress(done: number, message: string): Promise<void>;
}

/** A tool of the MCP server. */
export interface McpTool<S extends z.ZodObject = z.ZodObject> {
  name: string;
  /** For the model. */
  description: string;
  inputSchema: S;
  /** The role that a caller needs to see and call it. */
  role: ApiRole;
  isReadOnly: boolean;
  /**
   * The result, which becomes JSON. With `isError`, it is an error.
   * @throws Problem for errors of the caller.
   */
  run(args: z.output<S>, request: ToolRequest): Promise<object>;
  /** The results of work that `run` returns as `{ work }`. Absent: it starts none. */
  work?: {
    /** For a client that waits, after at most `MAX_TOOL_WAIT_MS`. */
    wait(work: McpWork, request: ToolRequest): Promise<object>;
    /** The result of work that has ended. */
    read(work: McpWork, request: Pick<ToolRequest, 'deps' | 'signal'>): Promise<object>;
  };
}

/** Checks the types of a tool. */
export const defineMcpTool = <S extends z.ZodObject>(tool: McpTool<S>): McpTool => tool as McpTool<never>;
