// What is said of tools that changed while a session ran. Names alone: what a server says of a tool now is not repeated.

/** A tool that changed, and what of it; `new`: the session did not know it. */
interface Changed {
  name: string;
  parts: readonly string[];
}

/** Why a call of such a tool is not run. */
export function changedToolText({ name, parts }: Changed): string {
  const why = parts.includes('new')
    ? 'was added after this investigation first listed the tools of its server'
    : `has changed (${parts.join(', ')}) since this investigation first listed it`;
  return `The tool "${name}" ${why}, so it is not offered in this investigation. Nothing was executed. Use another tool.`;
}

/** What an agent is told of tools that it had; empty when there are none. */
export function changedToolsNotice(changes: readonly Changed[]): string {
  const names = changes.filter(({ parts }) => !parts.includes('new')).map(({ name }) => `"${name}"`);
  if (names.length === 0) return '';
  const [subject, verb, them] =
    names.length === 1 ? ['The tool', 'has', 'it is'] : ['The tools', 'have', 'they are'];
  return `${subject} ${names.join(', ')} ${verb} changed since this investigation began: ${them} missing from your list. Go on without.`;
}

/**
 * What the timeline says of a server's changes.
 * @param more how many further tools changed that are not named.
 */
export function changedToolsEvent(server: string, changes: readonly Changed[], more: number): string {
  const changed = changes
    .filter(({ parts }) => !parts.includes('new'))
    .map(({ name, parts }) => `${name} (${parts.join(', ')})`);
  const added = changes.filter(({ parts }) => parts.includes('new')).map(({ name }) => name);
  return [
    `The tools of the server "${server}" are not what they were when this investigation first listed them.`,
    ...(changed.length > 0 ? [`Changed, and not offered any more: ${changed.join(', ')}.`] : []),
    ...(added.length > 0 ? [`New, and not offered: ${added.join(', ')}.`] : []),
    ...(more > 0 ? [`${more} more are not named, nor will be later ones.`] : []),
  ].join(' ');
}
