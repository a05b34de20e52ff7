// Paths of the REST surface, as the google.api.http annotations of the protocol files have them:
// `/v1/{topic=projects/*/topics/*}:publish`.
// https://github.com/googleapis/googleapis/blob/master/google/api/http.proto

import { StatusError, status } from '../protocol/status.ts';

/** A template that paths can be compared with. */
export interface PathTemplate {
  /** Whether it ends in `:publish` or the like. */
  hasVerb: boolean;
  /** A path's variables by field (`topic`, `topic.name`); undefined for another path. */
  match(path: string): Record<string, string> | undefined;
}

/** The template of a path as an annotation has it. */
export function parseTemplate(text: string): PathTemplate {
  const [, body = '', verb = ''] = /^(.*?)(:\w+)?$/.exec(text) ?? [];
  const fields: string[] = [];
  // Pieces in braces are variables: `{name}`, `{name=projects/*}`.
  const pieces = body.split(/(\{[^}]+\})/).map((piece) => {
    if (!piece.startsWith('{')) return toPathPattern(piece);
    const [field = '', segments = '*'] = piece.slice(1, -1).split('=');
    fields.push(field);
    return `(${toPathPattern(segments)})`;
  });
  // A path that ends in a verb is none of a template without.
  const source = `^${pieces.join('')}$`.replace(/\[\^\/\]\+(\)?\$)$/, verb === '' ? '[^/:]+$1' : '[^/]+$1');
  const pattern = new RegExp(source);
  return {
    hasVerb: verb !== '',
    match(path) {
      if (!path.endsWith(verb)) return undefined;
      const values = pattern.exec(path.slice(0, path.length - verb.length))?.slice(1);
      return (
        values &&
        Object.fromEntries(fields.map((field, index) => [field, decodeSegment(values[index] ?? '')]))
      );
    },
  };
}

/** `**` matches only documents: their paths are pairs of a collection id and a document id. */
const PATTERNS: Record<string, string> = {
  '/*/**': '(?:/[^/]+/[^/]+)+',
  '/**': '(?:/[^/]+/[^/]+)*',
  '*': '[^/]+',
  '.': '\\.',
};

const toPathPattern = (segments: string): string =>
  segments.replace(/\/\*\/\*\*|\/\*\*|\*|\./g, (wildcard) => PATTERNS[wildcard] ?? '');

/** @throws StatusError INVALID_ARGUMENT for an invalid percent encoding. */
function decodeSegment(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new StatusError(status.INVALID_ARGUMENT, `The path is not valid: ${value}`);
  }
}
