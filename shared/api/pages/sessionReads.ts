// The first reads of a session's page. A header names them, so that the browser loads them with the code.

/** Bytes of a result that are read with its row: a few lines. The rest is read when the row is unfolded. */
export const RESULT_BYTES = 600;
/** The parameters of the first page of steps: few events, so that it comes soon. */
export const FIRST_STEPS = { resultBytes: RESULT_BYTES, limit: 50 };

/** The address of a session's page, or of its questions. The group is the session's id in the address. */
const SESSION_ADDRESS = /^\/s\/([\w.~%-]+)(?:\/ask)?$/;

/** The id of the session that an address shows, as written there; undefined for other addresses. */
export function addressedSession(pathname: string): string | undefined {
  return SESSION_ADDRESS.exec(pathname)?.[1];
}

/** The paths that the page of a session reads first. @param sessionId as the address writes it. */
export function firstReads(sessionId: string): string[] {
  const path = `/v1/sessions/${sessionId}`;
  const { resultBytes, limit } = FIRST_STEPS;
  return [path, `${path}/timeline?resultBytes=${resultBytes}&limit=${limit}`, `${path}/interactions`];
}
