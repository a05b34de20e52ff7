// `knowledge` through the API.

import { onOneLine } from '../print/textTable.ts';
import type { ApiClient } from './apiClient.ts';

/** An entry as the API shows it. */
export interface RemoteEntry {
  key: string;
  kind: string;
  title: string;
  text?: string;
}

/** What is stored of a file. */
interface NewEntry {
  key: string;
  kind: string;
  title: string;
  text: string;
  labels: Record<string, string>;
  links: readonly unknown[];
}

/** Stores an entry. @returns what became of it. */
export async function push(
  api: ApiClient,
  { key, ...entry }: NewEntry,
  own: boolean,
): Promise<{ outcome: string; masked: number; embedded: boolean }> {
  return await api.post(`/v1/knowledge/${key}`, { ...entry, own });
}

/** Entries by their keys. */
export async function list(api: ApiClient): Promise<{ entries: RemoteEntry[]; isCut: boolean }> {
  return await api.get('/v1/knowledge');
}

/** What a query finds. */
export async function search(api: ApiClient, query: string): Promise<RemoteEntry[]> {
  return (await api.get<{ entries: RemoteEntry[] }>('/v1/knowledge/search', { q: query })).entries;
}

/** An entry, whole. */
export async function show(api: ApiClient, key: string): Promise<RemoteEntry> {
  return await api.get(`/v1/knowledge/${key}`);
}

/** Removes an entry. */
export async function remove(api: ApiClient, key: string, own: boolean): Promise<void> {
  await api.post(`/v1/knowledge/${key}/remove`, { own });
}

/** Entries as text, for people. */
export function describeEntries(entries: readonly RemoteEntry[]): string {
  if (entries.length === 0) return 'nothing was found';
  const describe = ({ key, kind, title, text = '' }: RemoteEntry) =>
    `${key} (${kind}): ${onOneLine(title)}\n${text}`;
  return entries.map(describe).join('\n\n').trimEnd();
}
