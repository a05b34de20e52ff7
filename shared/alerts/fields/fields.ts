// Fields that several adapters read from mappings with arbitrary values.

/** The text of the first of `keys` that is not blank; a number counts as text. Undefined without one. */
export function firstText(map: Record<string, unknown>, ...keys: string[]): string | undefined {
  for (const key of keys) {
    const value = Object.hasOwn(map, key) ? map[key] : undefined;
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (Number.isFinite(value)) return String(value);
  }
  return undefined;
}

/** The words of a text, for long lists of words in code. */
export const splitWords = (text: string): string[] => text.trim().split(/\s+/);

const RUNBOOK_KEYS = [
  ...['runbook_url', 'runbookurl', 'runbook', 'runbook_link', 'runbooklink', 'playbook_url', 'playbookurl'],
  ...['playbook'],
];

/** The first web link to a runbook in some mappings, such as annotations; undefined when there is none. */
export function runbookIn(maps: readonly Record<string, unknown>[]): string | undefined {
  const texts = maps.flatMap((map) => RUNBOOK_KEYS.map((key) => firstText(map, key)));
  return texts.find((text) => text !== undefined && /^\s*https?:\/\//i.test(text));
}

/** The first web link beside the word runbook or playbook in a text; undefined when there is none. */
export function runbookInText(text: string | undefined): string | undefined {
  return /(?:run|play)book[^\n]{0,100}?(https?:\/\/[^\s)>"'\]]+)/i.exec(text ?? '')?.[1];
}

/** `Checkout: pod restarts`; missing and repeated parts are left out. Undefined when all are missing. */
export function joinTexts(...parts: (string | undefined)[]): string | undefined {
  return [...new Set(parts.filter((part) => part !== undefined))].join(': ') || undefined;
}

/** Links with a title, without those that lead nowhere. */
export function keepUsableLinks(
  ...links: [title: string, url: string | undefined][]
): { title: string; url: string }[] {
  return links.flatMap(([title, url]) => (url === undefined ? [] : [{ title, url }]));
}

/**
 * Labels of tags such as `env:prod`, `service:checkout`. The first tag without a colon becomes the label
 * `tag`; others are dropped.
 */
export function labelsOfTags(tags: unknown): Record<string, string> {
  const list = typeof tags === 'string' ? tags.split(',') : Array.isArray(tags) ? tags : [];
  const labels = new Map<string, string>();
  for (const tag of list) {
    // Sentry and others write pairs.
    const text = Array.isArray(tag) ? `${tag[0]}:${tag[1]}` : tag;
    if (typeof text !== 'string' || text.trim() === '') continue;
    const [, name, value] = /^\s*([^:]+):(.*)$/s.exec(text) ?? [];
    const key = name?.trim() ?? 'tag';
    if (!labels.has(key)) labels.set(key, (value ?? text).trim());
  }
  return Object.fromEntries(labels);
}
