// Finds the runbook of a new session: the first of its chain's choices that exists. The session keeps a copy
// of the text, so that later changes of the runbook do not affect its agents.

import type { Alert } from '../../alerts/schema/alert.ts';
import { runbookKeySchema, type UsedRunbook } from '../../alerts/schema/usedRunbook.ts';
import type { RunbookConfig } from '../../config/config.ts';
import type { RunbookChoice } from '../../config/runbookFields.ts';
import type { FetchRunbook } from '../../contract/fetchRunbook.ts';
import type { Masker } from '../../core/contract/guard.ts';
import type { Store } from '../../core/contract/store.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import type { SessionNotice } from '../../core/kernel/session/sessionEvents.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { cutText, quoteText } from '../../text/cut.ts';
import { makeVisible } from '../../text/hiddenCharacters.ts';
import { fillLabels } from '../../text/labelText.ts';
import { matchesAny, matchesPattern } from '../../text/pattern.ts';
import { runbookType } from './runbook.ts';

/** Characters of an address in an event. */
const MAX_NAME = 300;

/** The runbook of a session and its event; null without a runbook, or without an event. */
interface ResolvedRunbook {
  /** A copy of the masked text, with its source. */
  runbook: UsedRunbook | null;
  /** The timeline event that names the runbook, or those that are missing. */
  notice: SessionNotice | null;
}

/** The result for a session whose chain and alert name no runbook. */
const NO_RUNBOOK: ResolvedRunbook = { runbook: null, notice: null };

interface RunbookDeps {
  /** The store with the runbooks. */
  store: Store;
  /** Default: links are not followed. */
  fetchRunbook?: FetchRunbook | undefined;
}

type Found = { source: UsedRunbook['source']; text: string } | { reason: string };

/**
 * Finds the runbook of a session. A chain without choices uses the alert's own link, if its host is allowed.
 * A missing runbook has an event and does not prevent the session.
 * @throws RetryableError when the store fails, or for a document of newer code.
 */
export async function resolveRunbook(
  { alert, chain, masker }: { alert: Alert; chain: string; masker: Masker },
  config: RunbookConfig,
  deps: RunbookDeps,
): Promise<ResolvedRunbook> {
  const missing: string[] = [];
  for (const choice of filterRunbookChoices(alert, chain, config)) {
    const { name, found } = await lookUpChoice(choice, { alert, masker }, config, deps);
    const shownName = quoteText(cleanText(masker, name).text, MAX_NAME);
    if ('reason' in found) {
      missing.push(`${shownName} ${found.reason}`);
      continue;
    }
    const whole = cleanText(masker, found.text).text;
    const text = cutText(whole, config.maxBytes, 'bytes');
    const runbook = { name: shownName, source: found.source, text, bytes: Buffer.byteLength(whole) };
    return { runbook, notice: usedNotice(runbook, missing) };
  }
  if (missing.length === 0) return NO_RUNBOOK;
  const content = `No runbook: ${masker.mask(missing.join('; ')).text}.`;
  return {
    runbook: null,
    notice: { code: 'runbook_missing', subject: chain, content: makeVisible(content) },
  };
}

/** The choices that apply to this alert, in order. */
function filterRunbookChoices(
  alert: Alert,
  chain: string,
  { choices, hosts }: RunbookConfig,
): RunbookChoice[] {
  const own = Object.hasOwn(choices, chain) ? choices[chain] : undefined;
  const configured = own ?? (hosts.length > 0 ? [{ kind: 'link' as const }] : []);
  return configured.filter((choice) => {
    if (choice.kind === 'link') return alert.runbookUrl !== null;
    return Object.entries(choice.labels).every(([name, values]) => {
      const label = Object.hasOwn(alert.labels, name) ? alert.labels[name] : undefined;
      return label !== undefined && values.some((value) => matchesPattern(label, value));
    });
  });
}

async function lookUpChoice(
  choice: RunbookChoice,
  { alert: { labels, runbookUrl }, masker }: { alert: Alert; masker: Masker },
  { files, hosts }: RunbookConfig,
  { store, fetchRunbook }: RunbookDeps,
): Promise<{ name: string; found: Found }> {
  if (choice.kind === 'link') {
    const name = runbookUrl ?? '';
    if (masker.findLeak(name) !== undefined)
      return { name, found: { reason: 'was not read: it holds a secret, or the mark of one' } };
    return { name, found: await fetchLink(name, hosts, fetchRunbook) };
  }
  const filled = fillLabels(choice.key, labels);
  if (!filled.ok) return { name: choice.key, found: { reason: `was not looked for: ${filled.reason}` } };
  const name = filled.value;
  if (!runbookKeySchema.safeParse(name).success) return { name, found: { reason: 'is no key of a runbook' } };
  // A stored runbook is newer than the file that was deployed.
  const { value: stored, failure } = await captureFailure(
    store.get(runbookType.paths.runbook(name), runbookType),
  );
  if (stored !== undefined) return { name, found: { source: 'firestore', text: stored.value.text } };
  const text = files.get(name);
  if (text !== undefined) return { name, found: { source: 'file', text } };
  return {
    name,
    found: { reason: failure === undefined ? 'is not there' : `cannot be read: ${failure.message}` },
  };
}

async function fetchLink(url: string, hosts: readonly string[], fetchRunbook?: FetchRunbook): Promise<Found> {
  const host = URL.parse(url)?.hostname ?? '';
  if (!matchesAny(host, hosts))
    return { reason: 'leads to a host that runbookHosts in system.yaml does not allow' };
  if (fetchRunbook === undefined) return { reason: 'is not followed here' };
  const fetched = await fetchRunbook(url, hosts);
  return fetched.ok ? { source: 'link', text: fetched.text } : { reason: fetched.reason };
}

const WHERE: Record<UsedRunbook['source'], string> = {
  file: 'of the configuration',
  firestore: 'in Firestore',
  link: "by the alert's link",
};

function usedNotice({ name, source, text, bytes }: UsedRunbook, missing: readonly string[]): SessionNotice {
  const shown = Buffer.byteLength(text);
  const cut = shown < bytes ? ` It is cut: ${shown} of ${bytes} bytes are shown.` : '';
  const before = missing.length === 0 ? '' : ` Before it: ${missing.join('; ')}.`;
  const content = `Runbook: ${name}, ${WHERE[source]} (${bytes} bytes).${cut}${before}`;
  return { code: 'runbook_used', subject: name, content };
}
