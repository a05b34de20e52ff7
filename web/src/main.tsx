// The dashboard: routes, and the frame around them. The code of a page is loaded when it is needed.

import './styles/tokens.css';
import './styles/base.css';
import { render } from 'preact';
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from 'preact-iso';
import type { SessionView } from '../../shared/lists/apiTypes.ts';
import { startEarlyReads } from './api/earlyReads.ts';
import { readMe } from './frame/currentUser.ts';
import { Frame, PageHead, setLoading } from './frame/Frame.tsx';
import frame from './frame/frame.module.css';
import { lookForNewVersion } from './frame/newVersion.ts';
import { followSystem } from './frame/systemState.ts';
import { applyTheme } from './frame/theme.ts';
import { loadAbove } from './lists/preload.ts';
import { Problem } from './parts/Problem.tsx';

const ListPage = lazy(() => import('./list/ListPage.tsx').then((module) => module.ListPage));
const SessionPage = lazy(() =>
  import('./lists/SessionWithParts.tsx').then((module) => module.SessionWithParts),
);
const KnowledgePage = lazy(() =>
  import('./features/knowledge/KnowledgePage.tsx').then((module) => module.KnowledgePage),
);
const AgentsPage = lazy(() => import('./features/agents/AgentsPage.tsx').then((module) => module.AgentsPage));
const AlertsPage = lazy(() =>
  import('./features/alertFates/AlertsPage.tsx').then((module) => module.AlertsPage),
);
const RejectedPage = lazy(() =>
  import('./features/alerts/RejectedPage.tsx').then((module) => module.RejectedPage),
);
const ErrorsPage = lazy(() => import('./errors/ErrorsPage.tsx').then((module) => module.ErrorsPage));
const SchedulesPage = lazy(() =>
  import('./features/checks/SchedulesPage.tsx').then((module) => module.SchedulesPage),
);
const SystemPage = lazy(() => import('./system/SystemPage.tsx').then((module) => module.SystemPage));
const UsagePage = lazy(() => import('./features/budgets/UsagePage.tsx').then((module) => module.UsagePage));

const StartPage = lazy(() => import('./start/StartPage.tsx').then((module) => module.StartPage));
const MessagesPage = lazy(() => import('./messages/MessagesPage.tsx').then((module) => module.MessagesPage));
const ComparePage = lazy(() =>
  import('./features/compare/ComparePage.tsx').then((module) => module.ComparePage),
);

function NotFound() {
  return (
    <>
      <PageHead title="Page not found" />
      <div class={frame.page}>
        <p>
          This page does not exist. <a href="/">All sessions</a>
        </p>
      </div>
    </>
  );
}

function Broken({ error }: { error: Error }) {
  return (
    <div class={frame.page}>
      <Problem error={error} onRetry={() => location.reload()} />
    </div>
  );
}

function App() {
  return (
    <LocationProvider>
      <Frame>
        <ErrorBoundary onError={(error) => render(<Broken error={error} />, root)}>
          <Router onLoadStart={() => setLoading(true)} onLoadEnd={() => setLoading(false)}>
            <Route path="/" component={ListPage} />
            <Route path="/s/:sessionId" component={SessionPage} />
            <Route path="/s/:sessionId/ask" component={SessionPage} />
            <Route path="/s/:sessionId/messages/:executionId" component={MessagesPage} />
            <Route path="/agents" component={AgentsPage} />
            <Route path="/agents/:name" component={AgentsPage} />
            <Route path="/knowledge" component={KnowledgePage} />
            <Route path="/knowledge/:key" component={KnowledgePage} />
            <Route path="/alerts" component={AlertsPage} />
            <Route path="/rejected" component={RejectedPage} />
            <Route path="/errors" component={ErrorsPage} />
            <Route path="/schedules" component={SchedulesPage} />
            <Route path="/new" component={StartPage} />
            <Route path="/compare" component={ComparePage} />
            <Route path="/usage" component={UsagePage} />
            <Route path="/system" component={SystemPage} />
            <Route default component={NotFound} />
          </Router>
        </ErrorBoundary>
      </Frame>
    </LocationProvider>
  );
}

/** Loads the parts above the steps, and parses the analysis, while the page's code loads. */
async function prepare(view: SessionView): Promise<void> {
  loadAbove(view);
  const { parseEarly } = await import('./markdown/Markdown.tsx');
  if (view.finalAnalysis !== null) parseEarly(view.finalAnalysis);
}

const root = document.getElementById('app') ?? document.body;
void startEarlyReads(location)
  ?.then(prepare)
  .catch(() => {});
applyTheme();
readMe();
followSystem();
// A tab can stay open for days.
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) lookForNewVersion();
});
render(<App />, root);
