/** What the test files of a process use together, such as a server. It is closed after the last file. */

const closers: (() => Promise<void>)[] = []

export const closeAfterLastFile = (close: () => Promise<void>): void => {
  closers.push(close)
}

export async function closeShared(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close()
}
