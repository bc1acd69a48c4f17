export interface RunOptions {
  is_long: boolean
  rounds: number
  minutes: number
  random: () => number
  seed: number
  /** Runs only the attacks with this text in their names. Undefined: all, and what comes before them. */
  attacks?: string | undefined
  print: (line: string) => void
}

export interface Scenario {
  name: string
  about: string
  run: (options: RunOptions) => Promise<void>
}
