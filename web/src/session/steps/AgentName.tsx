// The name of an agent of this session, as a link to the configuration that it used.

import type { ExecutionView } from '../../../../shared/lists/apiTypes.ts';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { useSession } from '../state/sessionState.ts';
import s from './lanes.module.css';

/** A link. */
export function AgentName({ execution }: { execution: Pick<ExecutionView, 'agentName' | 'executionId'> }) {
  const { sessionId } = useSession();
  const { agentName, executionId } = execution;
  const query = new URLSearchParams({ session: sessionId, execution: executionId });
  return (
    <a class={s.agentName} href={`/agents/${encodeURIComponent(agentName)}?${query}`}>
      <Untrusted text={agentName} />
    </a>
  );
}
