// The words of a notice: what its code and its stored text have, once.

import { clockText } from '../../model/format.ts';

/** A command that the page has a button for. */
const COMMAND = /\.? To start it now: inquest start-deferred [\w-]+\.?$|: inquest start-deferred [\w-]+\.?$/;
const ISO = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** The label of a notice and the text after it. A text that begins with its label is not said twice. */
export function noticeText(code: string, content: string): { label: string; text: string } {
  const words = code.replaceAll('_', ' ');
  const name = `${words[0]?.toUpperCase()}${words.slice(1)}`;
  // The arguments of an approval stand in the row of its call.
  const said = code === 'approval_requested' ? content.replace(/ Arguments: [\s\S]*$/, '') : content;
  const text = said.replace(ISO, (iso) => `${clockText(iso)} UTC`).replace(COMMAND, '.');
  const [mark] = /^[.:]?(?!\w)/.exec(text.slice(name.length)) ?? [];
  if (!text.startsWith(name) || mark === undefined) return { label: `${name}.`, text };
  const label = name + mark;
  return { label, text: text.slice(label.length).trimStart() };
}
