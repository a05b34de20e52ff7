// Arguments of a call as a table: whole, JSON values one per line.

import { parseArgumentPairs } from '../model/steps.ts';
import s from './parts.module.css';
import { Untrusted } from './Untrusted.tsx';

/** All arguments of a call. */
export function Arguments({ json }: { json: string }) {
  const pairs = parseArgumentPairs(json);
  if (pairs.length === 0) return <p class={s.meta}>No arguments</p>;
  return (
    <dl class={s.arguments}>
      {pairs.map(([name, value]) => [
        <dt key={`n-${name}`}>
          <Untrusted text={name === '' ? 'unparsed' : name} />
        </dt>,
        <dd key={`v-${name}`}>
          <Untrusted text={value} />
        </dd>,
      ])}
    </dl>
  );
}
