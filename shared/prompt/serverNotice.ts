// What an agent is told of tool servers that it lost, or that came back. Why a server is missing is left out: the reason
// may hold text of the server, and what the runtime says is not checked for what others planted.

/**
 * One sentence for each server; empty when there is none.
 * @param missing servers that cannot be reached since now; `permanent`: never again in this investigation.
 * @param back names of servers that can be reached again.
 */
export function serverNotice(
  missing: readonly { name: string; permanent: boolean }[],
  back: readonly string[],
): string {
  return [
    ...missing.map(
      ({ name, permanent }) =>
        `The tool server "${name}" cannot be reached${permanent ? ' in this investigation' : ''}: its tools are missing from your list${permanent ? '' : ' until it is back'}.`,
    ),
    ...back.map((name) => `The tool server "${name}" can be reached again: its tools are back in your list.`),
  ].join(' ');
}
