// Messages about tools that changed during a session. They contain only names, no server's new text.

/** A changed tool and its parts; `new`: not listed before; `gone`: no longer listed. */
interface Changed {
  /** `server.tool` */
  name: string;
  /** Changed parts: `description`, `parameters`, `rights`; or only `new`, or only `gone`. */
  parts: readonly string[];
}

/** Why a call of such a tool is not run. */
export function changedToolText({ name, parts }: Changed): string {
  if (parts.includes('gone'))
    return `The server of the tool "${name}" no longer lists it. Nothing was executed. Use another tool.`;
  const why = parts.includes('new')
    ? 'was added after this investigation first listed the tools of its server'
    : `has changed (${parts.join(', ')}) since this investigation first listed it`;
  return `The tool "${name}" ${why}, so it is not offered in this investigation. Nothing was executed. Use another tool.`;
}

/** The notice for agents about changed tools that they had; empty if there are none. */
export function changedToolsNotice(changes: readonly Changed[]): string {
  const gone = changes.filter(({ parts }) => parts.includes('gone')).map(({ name }) => `"${name}"`);
  const names = changes.filter(isChanged).map(({ name }) => `"${name}"`);
  const lost =
    gone.length === 0 ? '' : `Servers no longer list these tools: ${gone.join(', ')}. Go on without.`;
  if (names.length === 0) return lost;
  const [subject, verb, them] =
    names.length === 1 ? ['The tool', 'has', 'it is'] : ['The tools', 'have', 'they are'];
  const text = `${subject} ${names.join(', ')} ${verb} changed since this investigation started: ${them} missing from your list. Go on without.`;
  return lost === '' ? text : `${text} ${lost}`;
}

const isChanged = ({ parts }: Changed): boolean => !parts.includes('new') && !parts.includes('gone');

/**
 * The text of the timeline event about a server's changes.
 * @param more how many further tools changed that are not named.
 */
export function changedToolsEvent(server: string, changes: readonly Changed[], more: number): string {
  const changed = changes.filter(isChanged).map(({ name, parts }) => `${name} (${parts.join(', ')})`);
  const added = changes.filter(({ parts }) => parts.includes('new')).map(({ name }) => name);
  const gone = changes.filter(({ parts }) => parts.includes('gone')).map(({ name }) => name);
  return [
    `The tools of the server "${server}" have changed since this investigation first listed them.`,
    ...(changed.length > 0 ? [`Changed, and no longer offered: ${changed.join(', ')}.`] : []),
    ...(added.length > 0 ? [`New, and not offered: ${added.join(', ')}.`] : []),
    ...(gone.length > 0
      ? [`No longer listed: ${gone.join(', ')}. Check the server, and the permissions of its credentials.`]
      : []),
    ...(more > 0 ? [`${more} more are not named here; later ones will not be named either.`] : []),
  ].join(' ');
}
