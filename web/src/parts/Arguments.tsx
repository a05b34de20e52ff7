// Arguments of a call as a table: whole, JSON values one per line.

import { argumentsOf } from '../model/steps.ts';
import { Foreign } from './Foreign.tsx';
import s from './parts.module.css';

/** All arguments of a call. */
export function Arguments({ json }: { json: string }) {
  const pairs = argumentsOf(json);
  if (pairs.length === 0) return <p class={s.meta}>Without arguments</p>;
  return (
    <dl class={s.arguments}>
      {pairs.map(([name, value]) => [
        <dt key={`n-${name}`}>
          <Foreign text={name === '' ? 'as it came' : name} />
        </dt>,
        <dd key={`v-${name}`}>
          <Foreign text={value} />
        </dd>,
      ])}
    </dl>
  );
}
