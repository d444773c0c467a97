import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { Redirect, useLocation, useSearch } from 'wouter';
import { ApiError, type Workspace } from '../api/client.ts';
import { isSignedOut } from '../api/sign-out.ts';
import { signedOutState } from '../api/signed-out.ts';
import { paths } from '../paths.ts';
import { Fault } from '../ui/Fault.tsx';
import { later } from '../ui/later.tsx';
import { words } from '../words/words.ts';
import { AccountPages } from './account-pages.ts';
import { chooseWorkspace, chosenWorkspace } from './chosen-workspace.ts';
import { signInPath } from './next-address.ts';
import { configQuery, meQuery } from './queries.ts';
import { SessionFrame } from './SessionFrame.tsx';

const NoWorkspace = later(() => import('./NoWorkspace.tsx'), 'NoWorkspace');

const SignInAgain = later(() => import('./SignInAgain.tsx'), 'SignInAgain');

type Place = {
  userId: string;
  /** Whether the service has named the person; until then it may be the one of the last visit. */
  isSure: boolean;
  workspace: Workspace;
  workspaces: Workspace[];
  choose: (workspaceId: string) => void;
};

const PlaceContext = createContext<Place | undefined>(undefined);

/** The signed-in user and the chosen workspace, for everything inside `Guard`. */
export function usePlace(): Place {
  const place = useContext(PlaceContext);
  if (place === undefined) throw new Error('nobody is signed in here');
  return place;
}

/** Shows its children to people who are signed in, and leads everybody else to sign in. */
export function Guard({ children }: { children: ReactNode }) {
  const me = useQuery(meQuery);
  const [, setChoices] = useState(0);
  const why = useSyncExternalStore(signedOutState.subscribe, signedOutState.why);
  // Without a network no answer comes.
  if (isSignedOut() || (me.error instanceof ApiError && me.error.status === 401)) return <ToTheDoor />;
  if (me.error !== null && me.data === undefined)
    return (
      <SessionFrame title={words('error.title')}>
        <Fault error={me.error} onRetry={() => void me.refetch()} />
      </SessionFrame>
    );
  if (me.data === undefined) return null;
  const { user, workspaces } = me.data;
  const workspace = chosenWorkspace(workspaces);
  if (workspace === undefined) return <NoWorkspace email={user.email} />;
  const choose = (workspaceId: string) => {
    chooseWorkspace(workspaceId);
    setChoices((choices) => choices + 1);
  };
  return (
    <PlaceContext value={{ userId: user.id, isSure: me.dataUpdatedAt > 0, workspace, workspaces, choose }}>
      {children}
      {why !== undefined && <SignInAgain why={why} user={user} />}
    </PlaceContext>
  );
}

/** On a new installation leads to the first account; otherwise to sign in, and back to this address afterwards. */
function ToTheDoor() {
  const config = useQuery(configQuery);
  const [location] = useLocation();
  const search = useSearch();
  const [isLoaded, setIsLoaded] = useState(false);
  const from = search === '' ? location : `${location}?${search}`;
  useEffect(() => {
    AccountPages.preload().then(
      () => setIsLoaded(true),
      // The chunk's file is gone after an update of the service. A reload gets the new file names.
      () => window.location.replace(signInPath(from)),
    );
  }, [from]);
  if (!isLoaded || (config.data === undefined && config.error === null && !isSignedOut())) return null;
  return <Redirect to={config.data?.isFirstRun === true ? paths.welcome : signInPath(from)} replace />;
}
