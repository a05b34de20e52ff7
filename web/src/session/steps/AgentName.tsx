// The name of an agent that worked in this session. It leads to what it was configured with then.

import type { ExecutionView } from '../../../../shared/api/types.ts';
import { Foreign } from '../../parts/Foreign.tsx';
import { useSession } from '../state/sessionState.ts';
import s from './lanes.module.css';

/** A link. */
export function AgentName({ execution }: { execution: Pick<ExecutionView, 'agentName' | 'executionId'> }) {
  const { sessionId } = useSession();
  const { agentName, executionId } = execution;
  const query = new URLSearchParams({ session: sessionId, execution: executionId });
  return (
    <a class={s.agentName} href={`/agents/${encodeURIComponent(agentName)}?${query}`}>
      <Foreign text={agentName} />
    </a>
  );
}
