/** The service can't start for a reason that the user can fix. The message is one line. */
export class SetupError extends Error {}

export function unusable(data_dir: string, reason: string): SetupError {
  return new SetupError(`DATA_DIR ${data_dir} can't be used: ${reason}`)
}
