import { describe, expect, it } from 'vitest';
import { createRandom } from '../../engine/testing/random.ts';
import { createMasker } from '../masker.ts';
import { serviceKey } from '../samples.fixture.ts';
import { GENERATED_FORMATS } from './generatedFormats.ts';

const masker = createMasker({});
const random = createRandom(1);

/** Forms of tokens, as `serviceKey` reads them. */
const TOKENS = {
  'Azure DevOps': 'alnum 76 AZDO alnum 4',
  'Azure AI': 'alnum 52 JQQJ9 alnum 27',
  'Shopify, custom app': 'shpat_ hex 32',
  'Shopify, theme access': 'shptka_ hex 32',
  'Shopify, refresh token': 'shprt_ alnum 40',
  'Shopify, partner': 'prtapi_ hex 64',
  Gemini: 'AQ.Ab url 50',
  Together: 'tgp_v1_ url 43',
  Cerebras: 'csk- lower 48',
  Jina: 'jina_ alnum 60',
  Voyage: 'pa- A url 42',
  Modal: 'ak- A alnum 21',
  RunPod: 'rpa_ upper 40',
  Firecrawl: 'fc- hex 32',
  E2B: 'e2b_ hex 40',
  Browserbase: 'bb_live_ url 27',
  LlamaCloud: 'llx- alnum 48',
  Logfire: 'pylf_v1_eu_ alnum 43',
  Neon: 'napi_ lower 64',
  'Neon, password': 'npg_ alnum 12',
  'MongoDB Atlas': 'mdb_sa_sk_ url 40',
  CockroachDB: 'CCDB1_ alnum 22 _ alnum 40',
  Xata: 'xau_ alnum 40',
  Chroma: 'ck- A alnum 43',
  'Astra DB': 'AstraCS: alnum 24 : hex 64',
  'ClickHouse Cloud': '4b1d alnum 38',
  Convex: 'prod:quick-otter-123| base64 60',
  Deno: 'ddp_ alnum 36',
  Paddle: 'pdl_live_apikey_ alnum 40',
  Octopus: 'API- upper 26',
  OpenShift: 'sha256~ url 43',
  'Terraform Cloud': 'alnum 14 .atlasv1. url 60',
};

/** The same, of tokens whose form has no head of letters. */
const HEADLESS = {
  'Azure AI, signed': 'url 44 AzFu url 5 Q==',
  'Azure, client secret': 'url 3 8Q~ url 31',
  'Azure, long client secret': 'url 3 8Q~ url 34',
  Telegram: 'digits 8 :AA url 33',
  Mailchimp: 'hex 32 -us4',
  Discord: 'M url 24 . url 6 . url 27',
  Yubico: 'cccccbdefghijklnrtuvcbdefghijklnrtuvcbdefghi',
  Facebook: 'digits 15 | url 27',
};

describe('a token is known only by its form', () => {
  it.each(Object.entries({ ...TOKENS, ...HEADLESS }))('%s', (_, form) => {
    const token = serviceKey(random, form);
    const masked = masker.mask(`saw ${token} in the output`).text;
    expect(masked).toMatch(/^saw \[masked:[a-z0-9-]+\] in the output$/);
  });

  it.each(GENERATED_FORMATS.flatMap(({ kind, heads, tail }) => heads.map((head) => [kind, head, tail])))(
    '%s: %s',
    (_, head = '', tail = '') => {
      const token = head + textOf(tail);
      expect(masker.mask(`saw ${token} in the output`).text).toMatch(
        /^saw \S*\[masked:[a-z0-9-]+\] in the output$/,
      );
    },
  );
});

it.each(Object.entries(HEADLESS))('%s: a part of a longer word is no token', (_, form) => {
  const text = `saw x${serviceKey(random, form)}x in the output`;
  expect(masker.mask(text).text).toBe(text);
});

it('digests and ids are no tokens', () => {
  const texts = ['4b1d', 'ck-', 'pa-', 'fc-'].map((head) => `${head}${serviceKey(random, 'hex 60')}`);
  const text = [...texts, 'shpool_size_of_the_connection_pool', 'prod:quick-otter-123'].join('\n');
  expect(masker.mask(text).text).toBe(text);
});

/** A text that a generated tail matches: of each run the least number of characters. */
function textOf(tail: string): string {
  const runs = tail.replace(/\(\?!.*\)$/, '').matchAll(/\[((?:\\.|[^\]])+)\](?:\{(\d+)[,\d]*\})?|\\?(.)/g);
  return [...runs].map(([, set, least = '1', sign]) => (set ? sample(set, Number(least)) : sign)).join('');
}

function sample(set: string, count: number): string {
  const pattern = new RegExp(`[${set}]`);
  const all = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).filter((one) =>
    pattern.test(one),
  );
  return Array.from({ length: count }, () => all[random.int(0, all.length - 1)]).join('');
}
