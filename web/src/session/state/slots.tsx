// The places of the page that features fill. `web/src/lists/sessionParts.ts` lists their parts.

import { type ComponentType, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import type { LaterPart } from '../../parts/lazyPart.tsx';
import { type SessionState, useSession } from './sessionState.ts';

/**
 * `facts` and `owner` stand in the head, `above` and `verdict` before the steps, `review` below the analysis,
 * `guidance` below the steps, `questions` at the end, or beside the session while a person asks.
 */
type Place = 'facts' | 'owner' | 'above' | 'verdict' | 'review' | 'guidance' | 'side' | 'questions';

interface PartProps {
  view: SessionView;
  /** Of questions: whether only those that were asked are shown. */
  isShort?: boolean;
}

/** A part of a feature. */
export interface SessionPart {
  place: Place;
  Part: ComponentType<PartProps> | LaterPart<PartProps>;
  /** Default: always. */
  isShown?: (view: SessionView, session: SessionState) => unknown;
  /** What it writes before the title of the tab. */
  title?: (view: SessionView) => string;
}

/** The parts of all features. */
export const SessionParts = createContext<readonly SessionPart[]>([]);

const isShown = (part: SessionPart, view: SessionView, session: SessionState) =>
  part.isShown === undefined || Boolean(part.isShown(view, session));

/** The parts above the steps: their code loads before the page is drawn, so that nothing moves. */
export function listPartsAbove(
  parts: readonly SessionPart[],
  view: SessionView | undefined,
  session: SessionState,
): LaterPart<PartProps>[] {
  return parts.flatMap((part) =>
    /above|verdict/.test(part.place) && 'start' in part.Part && view && isShown(part, view, session)
      ? [part.Part]
      : [],
  );
}

/** The parts of a place. */
export function Slot({ place, ...props }: PartProps & { place: Place }) {
  const session = useSession();
  return (
    <>
      {useContext(SessionParts).map(
        (part) => part.place === place && isShown(part, props.view, session) && <part.Part {...props} />,
      )}
    </>
  );
}
