// The session's side below the verdict: changes, people, alert, messages, dependencies, time, cost, gaps,
// drafts, forks.

import type { SessionView } from '../../../shared/lists/apiTypes.ts';
import { AlertPanel } from '../features/alerts/AlertPanel.tsx';
import { ChangeStrip } from '../features/changes/ChangeStrip.tsx';
import { Changes } from '../features/changes/Changes.tsx';
import { SeenBefore } from '../features/correlation/SeenBefore.tsx';
import { Deliveries } from '../features/deliveries/Deliveries.tsx';
import { Fork } from '../features/fork/Fork.tsx';
import { Postmortem } from '../features/postmortem/Postmortem.tsx';
import { Topology } from '../features/topology/Topology.tsx';
import { Work } from '../features/work/Work.tsx';
import { isOff } from '../frame/currentUser.ts';
import { Cost } from '../session/side/Cost.tsx';
import { NotLet, NotReadable } from '../session/side/Gaps.tsx';
import { Waterfall } from '../session/side/Waterfall.tsx';
import { useSession } from '../session/state/sessionState.ts';

/** They stand above the lines of the session's time. */
const STRIPS: Parameters<typeof Waterfall>[0]['strips'] = [ChangeStrip];

/** All panels of the side. They are drawn when what stands above them is read, and does not move them. */
export function SidePanel({ view }: { view: SessionView }) {
  const { work, areClaimsSettled } = useSession();
  const people = work.value;
  const isPeopleSettled = (people?.value.value ?? people?.error.value) !== undefined;
  if (!isPeopleSettled || (view.verdict && !areClaimsSettled.value)) return null;
  return (
    <>
      {!isOff('changes') && <Changes view={view} />}
      <Work />
      <AlertPanel view={view} />
      <SeenBefore view={view} />
      {!isOff('deliveries') && <Deliveries view={view} />}
      {!isOff('topology') && <Topology view={view} />}
      <Waterfall view={view} strips={STRIPS} />
      <Cost view={view} />
      <NotLet view={view} />
      <NotReadable view={view} />
      {/* Last: they come when the session ends, and must move nothing. */}
      <Postmortem view={view} />
      <Fork view={view} />
    </>
  );
}
