import type { paths } from './schema.ts';

/** Parameters without the parts that the client fills in: the workspace in the path, and the header that repeats it. */
type Relaxed<Parameters> = {
  [Place in keyof Parameters as Place extends 'header' | 'path' ? never : Place]: Parameters[Place];
} & (Parameters extends { header: infer Headers } ? { header?: Partial<Headers> } : unknown) &
  (Parameters extends { path: infer Path } ? PathOf<Path> : unknown);

type PathOf<Path> = 'workspaceId' extends keyof Path
  ? Record<never, never> extends Omit<Path, 'workspaceId'>
    ? { path?: { workspaceId?: string } }
    : { path: Omit<Path, 'workspaceId'> & { workspaceId?: string } }
  : { path: Path };

type RelaxedOperation<Operation> = Operation extends { parameters: infer Parameters }
  ? Omit<Operation, 'parameters'> & { parameters: Relaxed<Parameters> }
  : Operation;

/** Every operation of the API by its path and method, where the workspace may be left out. */
export type KontorPaths = {
  [Path in keyof paths]: { [Method in keyof paths[Path]]: RelaxedOperation<paths[Path][Method]> };
};
