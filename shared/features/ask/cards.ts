// Reads alerts from messages of other apps in a thread: cards that list labels as the default templates of
// Alertmanager and Grafana do, through the adapter of Alertmanager, and the state in a title.

import { alertmanager } from '../../alerts/adapters/alertmanager.ts';
import { cleanAlert } from '../../alerts/cleanAlertText.ts';
import { NO_FACTS } from '../../alerts/fields/adapter.ts';
import { createFieldReader } from '../../alerts/fields/fieldReader.ts';
import type { Alert } from '../../alerts/schema/alert.ts';
import type { ChatMessage } from '../../contract/destination.ts';
import type { Masker } from '../../core/contract/guard.ts';
import { cutText } from '../../text/cut.ts';

/** An alert of a card. */
export type CardAlert = Pick<Alert, 'title' | 'status' | 'severity' | 'labels'> & { at: Date };

const MAX_TEXT = 20_000;
const MAX_ENTRIES = 50;
const TITLE = /^\W{0,10}\[(firing|resolved)(?::\d+)?\] *(.+)$/i;
const PAIR = /^[\s•-]{0,10}([A-Za-z_]\w{0,99})\s*=\s*(.+)$/;
const HEADING = /^(firing|resolved|labels|annotations):?$/i;
const SOURCE = /^source: *<?(https?:[^>|\s]+)/i;

interface Entry {
  status: string;
  startsAt: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  generatorURL?: string;
}

/** The alert of an app's message; undefined for a message of a person, and for any other text. */
export function readCard(
  { author, text, at }: ChatMessage,
  masker: Pick<Masker, 'mask'>,
): CardAlert | undefined {
  if (author.kind !== 'app') return undefined;
  const lines = masker
    .mask(cutText(text, MAX_TEXT))
    .text.split('\n')
    .map((line) => line.replaceAll('*', '').trim());
  const [, state, title] = lines.map((line) => TITLE.exec(line)).find((found) => found !== null) ?? [];
  const entries = listEntries(lines, state?.toLowerCase(), at);
  const input = { payload: entries, attributes: {}, receivedAt: at };
  if (alertmanager.recognise(input) !== undefined) {
    const facts = { ...NO_FACTS, ...alertmanager.read(createFieldReader(entries), input) };
    return { ...cleanAlert(alertmanager.source, facts, 0), at };
  }
  if (state === undefined || title === undefined) return undefined;
  const status = state.toLowerCase() === 'firing' ? 'firing' : 'resolved';
  return { title, status, severity: null, labels: {}, at };
}

/** The alerts that a card lists, with their labels and annotations. */
function listEntries(lines: readonly string[], state: string | undefined, at: Date): Entry[] {
  const entries: Entry[] = [];
  let status = state;
  let pairs: Record<string, string> | undefined;
  for (const line of lines) {
    const heading = HEADING.exec(line)?.[1]?.toLowerCase();
    const entry = entries.at(-1);
    if (heading === 'firing' || heading === 'resolved') status = heading;
    if (heading === 'labels') {
      if (entries.length === MAX_ENTRIES) break;
      pairs = {};
      const known = status === undefined ? {} : { status };
      entries.push({ ...known, startsAt: at.toISOString(), labels: pairs, annotations: {} } as Entry);
    } else if (heading === 'annotations') pairs = entry?.annotations;
    else if (heading !== undefined) pairs = undefined;
    const [, name, value] = PAIR.exec(line) ?? [];
    if (name !== undefined && value !== undefined && pairs !== undefined) pairs[name] = value;
    const [, url] = SOURCE.exec(line) ?? [];
    if (url !== undefined && entry !== undefined) entry.generatorURL = url;
  }
  return entries.filter(({ labels }) => Object.keys(labels).length > 0);
}
