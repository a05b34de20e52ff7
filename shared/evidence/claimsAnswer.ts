// Reads the answer of the call that checks claims. Unfit parts are left out; code checks the rest.

import * as z from 'zod';
import { asArray, asObject, asText, parseJson } from '../text/json.ts';

/** The statements about an analysis. */
export interface ClaimsAnswer {
  /** The conclusion of the analysis. */
  conclusion: 'cause' | 'not_an_incident' | 'unknown';
  /** Ids of hypotheses. */
  cause: readonly string[];
  /** Sentences of the analysis, with the ids of their evidence. */
  links: readonly { text: string; evidence: readonly string[] }[];
}

/** Links that are read. */
const MAX_LINKS = 60;
const id = z.string().max(40);
const linkSchema = z.object({ text: z.string().min(1).max(2000), evidence: z.array(id).max(20) });
const conclusionSchema = z.enum(['cause', 'not_an_incident', 'unknown']).catch('unknown');

/** The answer of the call; undefined where it has none. */
export function readClaimsAnswer(json: string | null): ClaimsAnswer | undefined {
  const stated = asObject(parseJson(json ?? ''));
  if (!Array.isArray(stated.cause)) return undefined;
  return {
    conclusion: conclusionSchema.parse(stated.conclusion),
    cause: [...new Set(stated.cause.flatMap((one) => asText(one) ?? []))].slice(0, 10),
    links: asArray(stated.links)
      .flatMap((one) => {
        const { data } = linkSchema.safeParse(one);
        return data === undefined ? [] : [data];
      })
      .slice(0, MAX_LINKS),
  };
}
