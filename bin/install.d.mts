/** Runs npm in a folder, without scripts of packages. The code is null if it was killed, for example by the signal. */
export function runNpm(
  folder: string,
  words: string[],
  options?: { signal?: AbortSignal },
): Promise<{ code: number | null; output: string }>

/** Waits until no other process has the lock of this work in `root`. Returns what releases it. */
export function lock(
  root: string,
  work: string,
  options?: { onWait?: (line: string) => void; signal?: AbortSignal },
): Promise<() => void>
