// A choice of the chain for an investigation.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { readAgents } from '../api/readAgents.ts';
import s from './parts.module.css';

/** The choice. @param props.chain '' for the chain that the rules select. */
export function ChainChoice({ chain, set }: { chain: string; set: (chain: string) => void }) {
  const chains = useSignal<readonly string[]>([]);
  useEffect(() => {
    void readChains().then((names) => {
      chains.value = names;
    });
  }, []);
  return (
    <label>
      Chain{' '}
      <select class={s.select} value={chain} onChange={({ currentTarget: { value } }) => set(value)}>
        <option value="">As the rules choose</option>
        {chains.value.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

/** The chains of the agents; none when they cannot be read: then the rules choose. */
async function readChains(): Promise<string[]> {
  try {
    const { agents } = await readAgents();
    return [...new Set(agents.flatMap(({ chains }) => chains))].sort();
  } catch {
    return [];
  }
}
