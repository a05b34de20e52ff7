// A value in an analysis or an answer: a link to the line of the result that has it.

import { useId } from 'preact/hooks';
import { Marked } from '../../parts/Untrusted.tsx';
import { useSession } from '../state/sessionState.ts';
import s from './analysis.module.css';

interface EvidenceLinkProps {
  text: string;
  isCode: boolean;
  href: string;
  /** The place in words. */
  where: string;
}

/** The link. The line has a link back to it. */
export function EvidenceLink({ text, isCode, href, where }: EvidenceLinkProps) {
  const id = `claim-${useId()}`;
  const { claim } = useSession();
  const words = <Marked text={text} />;
  return (
    <a
      id={id}
      class={s.evidence}
      href={href}
      title={`Evidence: ${where}`}
      data-where={where}
      onClick={() => {
        claim.value = id;
      }}
    >
      {isCode ? <code>{words}</code> : words}
    </a>
  );
}
