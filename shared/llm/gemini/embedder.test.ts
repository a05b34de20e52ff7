import { afterEach, describe, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../../../local/scriptedModel/startScriptedModel.ts';
import { EMBEDDING_DIMENSIONS } from '../../contract/embedder.ts';
import { createEmbedder } from './embedder.ts';

const conversations = [{ turns: [{ text: 'never asked' }] }];
const running: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((gemini) => gemini.stop()));
});

async function embedder(more: { models?: string[]; env?: Record<string, string> } = {}) {
  const { models, env } = more;
  const gemini = await startScriptedModel({ script: { ...(models && { models }), conversations } });
  running.push(gemini);
  const backend = { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'a-key' };
  return { gemini, embed: createEmbedder(env === undefined ? backend : { ...backend, ...env }) };
}

const cosine = (a: number[], b: number[]) =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

describe('an embedding', () => {
  it('has 768 numbers, the same for the same text, and near those of texts with the same words', async () => {
    const { embed, gemini } = await embedder();
    const embedded = await Promise.all([
      embed('the disk is full', 'query'),
      embed('the disk is full', 'document'),
      embed('A disk that is full of logs', 'document'),
      embed('Checkout answers slowly', 'document'),
    ]);
    const [disk = [], again = [], full = [], other = []] = embedded.map(({ vector }) => vector);
    expect(embedded[0]?.model).toBe('gemini-embedding-001');
    expect(disk).toHaveLength(EMBEDDING_DIMENSIONS);
    expect(again).toEqual(disk);
    expect(cosine(disk, disk)).toBeCloseTo(1, 5);
    expect(cosine(disk, full)).toBeGreaterThan(cosine(disk, other) + 0.2);
    expect(gemini.embedded).toContain('the disk is full');
  });

  it('is made of the start of a long text', async () => {
    const { embed, gemini } = await embedder();
    await embed(`${'x'.repeat(5_999)}😀 and more`, 'document');
    expect(gemini.embedded).toEqual(['x'.repeat(5_999)]);
  });

  it('comes from Vertex AI as well', async () => {
    const { gemini } = await embedder();
    const embed = createEmbedder({
      GOOGLE_GENAI_USE_VERTEXAI: 'true',
      GOOGLE_API_KEY: 'a-key',
      GOOGLE_VERTEX_BASE_URL: gemini.url,
    });
    expect((await embed('the disk is full', 'query')).vector).toHaveLength(EMBEDDING_DIMENSIONS);
  });

  it.each([
    ['a model that is not there', { models: ['gemini-3.8-flash'] }, 'MODEL_UNKNOWN'],
    ['a wrong key', { env: { GEMINI_API_KEY: 'invalid-key' } }, 'MODEL_CREDENTIALS'],
    ['no network', { env: { GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1' } }, 'MODEL_UNAVAILABLE'],
  ])('with %s is an error of ours without the key', async (_, options, code) => {
    const { embed } = await embedder(options);
    const error = await embed('disk', 'query').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect(String(error)).not.toContain('-key');
  });

  it('without credentials names the setting, and of an empty text quotes the error of the API', async () => {
    await expect(createEmbedder({})('disk', 'query')).rejects.toMatchObject({ code: 'MODEL_CREDENTIALS' });
    const { embed } = await embedder();
    await expect(embed('', 'query')).rejects.toMatchObject({ code: 'MODEL_BAD_REQUEST' });
  });

  it('ends with the reason of an abort', async () => {
    const { embed } = await embedder();
    await expect(embed('disk', 'query', AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  });
});

it('an embedding comes from the model that is set, and names it', async () => {
  const { gemini } = await embedder();
  const env = { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'k' };
  const { model, vector } = await createEmbedder(env, [], 'gemini-embedding-2')('the disk is full', 'query');
  const first = await createEmbedder(env)('the disk is full', 'query');
  expect([model, first.model]).toEqual(['gemini-embedding-2', 'gemini-embedding-001']);
  expect(vector).not.toEqual(first.vector);
});
