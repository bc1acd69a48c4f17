/** What keeps the service from starting and the one who starts it can mend. The message is one line. */
export class SetupError extends Error {}
