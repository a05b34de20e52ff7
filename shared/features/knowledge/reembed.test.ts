import { beforeEach, describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleKnowledge } from '../../../test/support/samples.ts';
import { EMBEDDING_DIMENSIONS } from '../../contract/embedder.ts';
import { createDocument, replaceDocument } from '../../core/contract/store.ts';
import { RetryableError } from '../../core/errors.ts';
import { knowledgeType, paths } from '../../lists/documents.ts';
import type { Knowledge } from '../../search/knowledge.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { type ReembedOptions, reembedEntries } from './reembed.ts';

const OLD = 'gemini-embedding-001';
const NEW = 'gemini-embedding-2';
const vector = (first: number) => [first, ...Array(EMBEDDING_DIMENSIONS - 1).fill(0)];

let store: ReturnType<typeof createMemoryStore>;
let texts: string[];
beforeEach(async () => {
  store = createMemoryStore();
  texts = [];
});

async function add(key: string, overrides: Partial<Knowledge> = {}): Promise<void> {
  const entry = sampleKnowledge({ key, title: key, text: `about ${key}`, labels: {}, ...overrides });
  await store.commit([createDocument(paths.knowledgeEntry(entry.tenantId, key), knowledgeType, entry)]);
}

const read = async (key: string, tenant = 'default') =>
  (await store.get(paths.knowledgeEntry(tenant, key), knowledgeType))?.value;

async function run(options: Partial<ReembedOptions> = {}) {
  const found: string[] = [];
  const embed: ReembedOptions['embed'] = async (text) => {
    texts.push(text);
    return { model: NEW, vector: vector(2) };
  };
  const clock = { now: () => SAMPLE_TIME };
  const all = { store, clock, embed, model: NEW, isDryRun: false, ...options };
  for await (const { kind, id } of reembedEntries(all)) found.push(`${id} ${kind}`);
  return found;
}

describe('entries that another model has embedded', () => {
  beforeEach(async () => {
    await add('disks', { embedding: vector(1), embeddingModel: OLD });
    await add('new', { embedding: vector(1), embeddingModel: NEW });
    await add('none');
    await add('old', { embedding: vector(1), embeddingModel: OLD, expireAt: SAMPLE_TIME });
    await add('shop', { tenantId: 'shop', embedding: vector(1), embeddingModel: OLD });
  });

  it('are embedded again for all tenants, with those that have no embedding; a second run leaves them', async () => {
    expect(await run()).toEqual([
      'default.disks embedded',
      'default.new left',
      'default.none embedded',
      'default.old left',
      'shop.shop embedded',
    ]);
    expect(await read('disks')).toMatchObject({
      embedding: vector(2),
      embeddingModel: NEW,
      text: 'about disks',
    });
    expect(texts).toEqual(['disks\nabout disks', 'none\nabout none', 'shop\nabout shop']);
    expect((await run()).filter((line) => !line.endsWith(' left'))).toEqual([]);
    expect(texts).toHaveLength(3);
  });

  it('are counted, neither embedded nor changed, in a dry run', async () => {
    const found = await run({ isDryRun: true });
    expect(found.filter((line) => line.endsWith(' embedded'))).toHaveLength(3);
    expect(texts).toEqual([]);
    expect(await read('disks')).toMatchObject({ embeddingModel: OLD });
  });

  it('keep what they have when the model fails; the next run embeds only them', async () => {
    const embed: ReembedOptions['embed'] = async (text) => {
      if (text.startsWith('disks')) throw new RetryableError('MODEL_QUOTA', 'none left');
      return { model: NEW, vector: vector(3) };
    };
    expect(await run({ embed })).toContain('default.disks failed');
    expect(await read('disks')).toMatchObject({ embedding: vector(1), embeddingModel: OLD });
    expect((await run()).filter((line) => line.endsWith(' embedded'))).toEqual(['default.disks embedded']);
  });

  it('get the embedding of the text that is stored meanwhile', async () => {
    const embed: ReembedOptions['embed'] = async (text) => {
      texts.push(text);
      const path = paths.knowledgeEntry('default', 'disks');
      const stored = await store.get(path, knowledgeType);
      if (texts.length === 1 && stored !== undefined)
        await store.commit([
          replaceDocument(path, knowledgeType, { ...stored.value, text: 'other' }, stored.version),
        ]);
      return { model: NEW, vector: vector(texts.length) };
    };
    await run({ embed });
    expect(texts.slice(0, 2)).toEqual(['disks\nabout disks', 'disks\nother']);
    expect(await read('disks')).toMatchObject({ text: 'other', embedding: vector(2) });
  });
});
