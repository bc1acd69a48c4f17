/** What keeps the service from starting and the one who starts it can mend. The message is one line. */
export class SetupError extends Error {}

export function unusable(data_dir: string, why: string): SetupError {
  return new SetupError(`DATA_DIR ${data_dir} can't be used: ${why}`)
}
