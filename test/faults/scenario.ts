export interface RunOptions {
  is_long: boolean
  rounds: number
  minutes: number
  random: () => number
  seed: number
  print: (line: string) => void
}

export interface Scenario {
  name: string
  about: string
  run: (options: RunOptions) => Promise<void>
}
