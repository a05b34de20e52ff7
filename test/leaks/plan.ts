// Draws the cases of a scenario: which secret is planted in which field, and how it is written.

import { createRandom, type Random } from '../../shared/engine/testing/random.ts';
import { ENCODINGS, type FieldForm, promisedEncodings } from './encodings.ts';
import { knownSecret, type Secret, secretByRule } from './plantedSecret.ts';

/** One secret in one field. */
export interface Case {
  field: string;
  kind: string;
  encoding: string;
  secret: Secret;
}

/** What a field may hold. */
interface FieldOptions {
  /** The process that reads the field: `ingestAlert` gets no servers' secrets. Default: `iteration`. */
  reader?: 'ingest' | 'iteration';
  /** A name is nothing but the secret. Default: a text. */
  form?: FieldForm;
  /** The longest text before and after the secret. Default: 2,200 characters. */
  longest?: number;
  /** The length at which the text is cut: half of the secrets are there. Default: none. */
  cutAt?: number;
  /** Only secrets of the environment, of servers.yaml, or those that rules find. Default: any. */
  only?: 'environment' | 'servers' | 'rules';
}

/** The cases of one scenario. */
export interface Plan {
  random: Random;
  cases: readonly Case[];
  /** The text of a field, with a secret of its own in it. */
  text(field: string, options?: FieldOptions): string;
  /** Text without a secret. */
  filler(length: number): string;
  /** The variables that make the secrets of the environment known. */
  environment: Record<string, string>;
  /** Values of servers.yaml: taken one by one, each is planted somewhere, too. */
  serverValues: readonly string[];
}

const FILLER = [
  'pod',
  'restarted',
  'after',
  'probe',
  'of',
  'shop',
  'in',
  'zone',
  'b',
  'twice',
  'today',
  'with',
  'code',
  '137',
];
const POOL = { environment: 14, servers: 6 } as const;
/** Lengths that texts before a secret have: mostly short, and around the limits at which texts are cut. */
const CUTS = [120, 160, 300, 500, 600, 2_000];

/** The plan of a seed: the same calls give the same texts. */
export function createPlan(seed: number): Plan {
  const random = createRandom(seed);
  const cases: Case[] = [];
  const pool = {
    environment: Array.from({ length: POOL.environment }, () => knownSecret(random, 'environment')),
    servers: Array.from({ length: POOL.servers }, () => knownSecret(random, 'servers')),
  };
  const unused = { environment: [...pool.environment], servers: [...pool.servers] };

  const filler = (length: number): string => {
    const words: string[] = [];
    for (let size = 0; size < length; size += (words.at(-1)?.length ?? 0) + 1) {
      words.push(FILLER[random.int(0, FILLER.length - 1)] ?? '');
    }
    return words.join(' ').slice(0, length);
  };
  const drawSecret = ({ reader = 'iteration', form, only }: FieldOptions): Secret => {
    const isName = form === 'name';
    const isBare = isName || form === 'json in json';
    const sources = reader === 'ingest' ? (['environment'] as const) : (['environment', 'servers'] as const);
    const source = only === undefined ? sources[random.int(0, sources.length - 1)] : only;
    if (source === undefined || source === 'rules') return secretByRule(random, isBare);
    if (only === undefined && random.chance(0.4)) return secretByRule(random, isBare);
    const at = unused[source].findIndex(({ raw }) => !isName || /^[A-Za-z0-9]+$/.test(raw));
    const [secret] = at === -1 ? [] : unused[source].splice(at, 1);
    return secret ?? secretByRule(random, isBare);
  };
  const padding = (longest: number, cutAt?: number): number => {
    if (cutAt !== undefined && random.chance(0.5)) return random.int(cutAt - 50, cutAt - 10);
    const cut = CUTS[random.int(0, CUTS.length - 1)] ?? 0;
    const length = random.chance(0.7) ? random.int(0, 40) : random.int(Math.max(0, cut - 60), cut + 10);
    return Math.min(length, longest);
  };

  return {
    random,
    cases,
    filler,
    text(field, options = {}) {
      const { form = 'text', longest = 2_200 } = options;
      let secret = drawSecret(options);
      while (form === 'line' && secret.text.includes('\n')) secret = secretByRule(random);
      const encodings = promisedEncodings(secret, form);
      const encoding = encodings[random.int(0, encodings.length - 1)] ?? 'raw';
      cases.push({ field, kind: secret.kind, encoding, secret });
      const beside = filler(random.int(1, 5)).replaceAll(' ', '_');
      const written = ENCODINGS[encoding]?.(secret.text, beside) ?? secret.text;
      if (form === 'name') return written;
      const isLine = form === 'line';
      const separator = !isLine && (secret.text.includes('\n') || random.chance(0.3)) ? '\n' : ' ';
      return `${filler(padding(longest, options.cutAt))}${separator}${written}${separator}${filler(padding(Math.min(longest, 60)))}`;
    },
    environment: Object.fromEntries(pool.environment.map(({ raw }, index) => [`FUZZ_${index}_SECRET`, raw])),
    serverValues: pool.servers.map(({ raw }) => raw),
  };
}
